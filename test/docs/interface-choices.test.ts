import { describe, expect, it } from '@jest/globals';
import { apiEndpoints } from '../../src/contract/api-endpoints.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { readText } from '../support/repository.ts';

const page = readText('docs/interface-choices.md');
const [, ...sections] = page.split(/^(?=## )/mu);
const everyEndpoint = sections.at(-1) ?? '';

/** The first lines of the section about an endpoint. */
function beginSection({ number, title, origin, method, path }: Endpoint): string {
  const address = `\`${method} ${path}\``;
  if (number !== undefined) return `## Operation ${number}: ${title}\n\n${address}\n\n`;
  return `## ${title}\n\n${address} (${origin === 'observed' ? 'observed' : 'ours'}, not in the interface)\n\n`;
}

describe('the page of interface choices', () => {
  it('has a section for every endpoint that has choices, in the order of the contract, and one for all of them', () => {
    const begin = sections.slice(0, -1).map((section) => /^(?:.*\n){4}/u.exec(section)?.[0]);
    const declared = apiEndpoints.map(beginSection);
    expect(begin).toEqual(declared.filter((each) => begin.includes(each)));
    expect(everyEndpoint).toMatch(/^## Every endpoint\n/u);
  });

  it('says something about every operation of the interface', () => {
    for (const endpoint of apiEndpoints.filter(({ number }) => number !== undefined)) {
      expect(page).toContain(beginSection(endpoint));
    }
  });

  it('has the subject and the choice of each, and nothing after a source', () => {
    for (const section of sections.slice(0, -1)) {
      const entries = section.split(/^(?=- )/mu).slice(1);
      expect(entries).not.toEqual([]);
      for (const entry of entries) {
        expect(entry.replaceAll(/\s+/gu, ' ')).toMatch(
          /^- \*\*[^*]+\*\*: (?:(?!_Source_).)+\.(?: _Source_: (?:(?!_Source_).)+\.)? ?$/u,
        );
      }
    }
  });
});
