import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { EOL, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setOutput } from '@actions/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseOutputs } from '../../tools/run-action.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'outputs-'));
  process.env['GITHUB_OUTPUT'] = join(folder, 'output');
});

afterAll(() => {
  delete process.env['GITHUB_OUTPUT'];
  rmSync(folder, { recursive: true });
});

/** What @actions/core writes for these outputs. */
function outputFile(outputs: readonly (readonly [name: string, value: string])[]): string {
  const path = join(folder, 'output');
  writeFileSync(path, '');
  for (const [name, value] of outputs) setOutput(name, value);
  return readFileSync(path, 'utf8');
}

describe('parseOutputs', () => {
  it('reads what @actions/core writes, whatever the values contain', () => {
    const name = fc.stringMatching(/^[a-z][a-z-]{0,10}$/u);
    const value = fc.oneof(
      fc.constantFrom('', '\n', '\r\n', 'a\r', '\ra', 'outcome<<E\ncompliant\nE', 'ghadelimiter_\n'),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (outputs) => {
        expect(parseOutputs(outputFile(Object.entries(outputs)))).toEqual(outputs);
      }),
    );
  });

  it('returns the last of several values with the same name, as the runner does', () => {
    const file = outputFile(['first', 'second'].map((text) => ['state', text]));
    expect(parseOutputs(file)).toEqual({ state: 'second' });
  });

  it('returns nothing for an empty file', () => {
    expect(parseOutputs('')).toEqual({});
  });

  it('throws if the runner would reject the file', () => {
    expect(() => parseOutputs(`state<<END${EOL}never ended${EOL}`)).toThrow('state');
    expect(() => parseOutputs(`no heading${EOL}`)).toThrow('no heading');
  });
});
