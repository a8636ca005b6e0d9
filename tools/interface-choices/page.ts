import type { Endpoint } from '../../src/contract/endpoint.ts';
import { apiEndpoints } from '../../src/contract/api-endpoints.ts';
import { wrap } from '../wrap.ts';

const start = '<!-- Generated from `choices` in src/contract by `npm run choices`. -->\n';
const end = '<!-- Written by hand. -->\n';

/** The endpoints with choices, in the order of the page. */
export const endpointsWithChoices: readonly Endpoint[] = apiEndpoints.filter(({ choices }) => choices.length > 0);

/**
 * The page docs/interface-choices.md with the choices of the contract. What stands before the first and after the last
 * of these is maintained manually and kept.
 *
 * @param page the page as it is
 * @throws Error if the page does not say where they belong
 */
export function updateInterfaceChoices(page: string): string {
  const [before, rest] = page.split(start);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`the page must have the lines ${start} and ${end}`);
  const sections = endpointsWithChoices.map(sectionOf).join('\n');
  return `${before}${start}\n${sections}\n${end}${after}`;
}

function sectionOf({ number, origin, title, method, path, choices }: Endpoint): string {
  const heading = number === undefined ? title : `Operation ${number}: ${title}`;
  const source =
    number === undefined
      ? ` (${origin === 'observed' ? 'observed, not in the interface' : 'ours, not in the interface'})`
      : '';
  const entries = choices.map(({ subject, choice, source }) =>
    wrap(`- **${subject}**: ${choice}. _Source_: ${source}.`, '  '),
  );
  return `## ${heading}\n\n\`${method} ${path}\`${source}\n\n${entries.join('\n')}\n`;
}
