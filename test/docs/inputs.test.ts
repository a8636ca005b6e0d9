import { describe, expect, it } from '@jest/globals';
import { load as parse } from 'js-yaml';
import { connectionInputs } from '../../src/operations/inputs/connection-inputs.ts';
import type { Input } from '../../src/operations/inputs/input.ts';
import { allOperationNames } from '../../src/operations/operation-names.ts';
import { operations } from '../../src/operations/registry.ts';
import { isMapping } from '../../src/runtime/untrusted-data.ts';
import { commonDeclared } from '../../src/step/run/common-inputs.ts';
import { createInputReference } from '../../tools/input-reference/page.ts';
import { fencesOf } from '../support/markdown.ts';
import { actionEntries, readText } from '../support/repository.ts';

const page = readText('docs/inputs.md');
const loaded = await Promise.all(allOperationNames.map((name) => operations[name]()));
const declared: readonly Input<unknown>[] = [
  ...commonDeclared,
  ...Object.values(connectionInputs).map(({ input }) => input),
  ...loaded.flatMap(({ inputs }) => Object.values(inputs).map(({ input }) => input)),
];

/** The example of each input, by its name. */
const examples = new Map(fencesOf(page).map(({ heading, text }) => [heading, parse(text)]));

/** The facts below the heading of an input. */
function factsOf(name: string): string {
  return new RegExp(`^### ${name}\\n(.*?)^#`, 'msu').exec(page)?.[1] ?? '';
}

describe('the page about the inputs', () => {
  it('is up to date; `npm run inputs` writes it', async () => {
    expect(page).toBe(await createInputReference());
  });

  it('says which operations use an input, whether they need it, its default, its variable and its form', () => {
    expect(factsOf('flow')).toContain(
      '- Used by: `create-flow` (required), `attest-sonar` (required), `list-attestations` (required),',
    );
    expect(factsOf('flow')).toContain('- Environment variable: `COMPLIANCE_FLOW`\n');
    expect(factsOf('timeout')).toContain('- Used by: all operations\n- Default: `30`\n');
    expect(factsOf('timeout')).toContain('- Form: a whole number of seconds from 1 to 3600\n');
    expect(factsOf('fingerprint')).toContain(
      '- Form for `attest-sonar`, `attest-artifact`, `attest-generic`, `attest-junit`, `attest-pull-request`,',
    );
    expect(factsOf('summary')).toContain('- Default: `true`\n');
  });

  it('lists the inputs of each operation, those that are required in bold, with its endpoint', () => {
    expect(page).toContain(
      '- [attach-policy](operations.md#attach-policy) (POST `/environments/{org}/{env_name}/policies`, operation 4):\n',
    );
  });

  it('has an example of every input that people set', () => {
    const names = [...actionEntries('inputs').keys()];
    expect([...examples.keys()]).toEqual(names.filter((name) => name !== 'matrix'));
  });

  it.each([...examples])('has a valid example of %s', (name, example) => {
    const values = isMapping(example) ? Object.entries(example) : [];
    expect(values.map(([key]) => key)).toEqual([name]);
    const candidates = declared.filter((input) => input.name === name);
    for (const [, value] of values) {
      // Expressions have values only on GitHub.
      if (String(value).includes('${{')) continue;
      expect(candidates.some((input) => 'value' in input.parse(String(value)))).toBe(true);
    }
  });
});
