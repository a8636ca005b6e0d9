import { describe, expect, it } from '@jest/globals';
import { reportArtifact } from '../../src/contract/artifact-report.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { getFlow } from '../../src/contract/flow.ts';
import { getPolicy } from '../../src/contract/policy.ts';
import { readText } from '../support/repository.ts';

const page = readText('docs/interface-choices.md');
const withChoices: readonly Endpoint[] = [...endpoints, reportArtifact, getPolicy, getFlow].filter(
  ({ choices }) => choices.length > 0,
);

function headingOf({ number, title }: Endpoint): string {
  return number === undefined ? title : `Operation ${number}: ${title}`;
}

/** The entries below each heading, as one line each. */
const sections = new Map(
  page
    .split(/^## /mu)
    .slice(1)
    .map((section) => {
      const [heading = ''] = section.split('\n');
      const [, ...entries] = section.split(/^- /mu);
      return [heading, entries.map((entry) => entry.replaceAll(/\s+/gu, ' ').trim())] as const;
    }),
);

describe('the page of interface choices', () => {
  it('has a section for every endpoint with choices, in the order of the contract, and for all of them together', () => {
    expect([...sections.keys()]).toEqual([...withChoices.map(headingOf), 'Every endpoint']);
  });

  it.each(withChoices.map((endpoint) => [headingOf(endpoint), endpoint] as const))(
    'has exactly the choices of "%s"',
    (heading, { method, path, choices }) => {
      expect(sections.get(heading)).toEqual(
        choices.map(({ subject, choice, source }) => `**${subject}**: ${choice}. _Source_: ${source}.`),
      );
      expect(page).toContain(`## ${heading}\n\n\`${method} ${path}\`\n`);
    },
  );
});
