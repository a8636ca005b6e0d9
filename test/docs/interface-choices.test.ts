import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../src/contract/endpoints.ts';
import { endpointsWithChoices, updateInterfaceChoices } from '../../tools/interface-choices/page.ts';
import { readText } from '../support/repository.ts';

const page = readText('docs/interface-choices.md');
const headings = [...page.matchAll(/^## (.*)$/gmu)].map(([, heading]) => heading);

describe('the page of interface choices', () => {
  it('is up to date; `npm run choices` updates it', () => {
    expect(page).toBe(updateInterfaceChoices(page));
  });

  it('has a section for every endpoint with choices, in the order of the contract, and for all of them together', () => {
    expect(endpointsWithChoices).toEqual(expect.arrayContaining(endpoints.filter(({ choices }) => choices.length > 0)));
    expect(headings).toEqual([
      ...endpointsWithChoices.map(({ number, title }) =>
        number === undefined ? title : `Operation ${number}: ${title}`,
      ),
      'Every endpoint',
    ]);
  });

  it('has the subject, the choice and the source of each', () => {
    const flat = page.replaceAll(/\s+/gu, ' ');
    for (const { subject, choice, source } of endpointsWithChoices.flatMap(({ choices }) => choices)) {
      expect(flat).toContain(`- **${subject}**: ${choice}. _Source_: ${source}.`);
    }
  });

  it('is only generated where it says so', () => {
    expect(() => updateInterfaceChoices('# Interface choices\n')).toThrow('the page must have the lines');
  });
});
