import { describe, expect, it } from '@jest/globals';
import { prepareKeyValueMessage } from '@actions/core/lib/file-command.js';
import fc from 'fast-check';
import { EOL } from 'node:os';
import { parseOutputs } from '../../tools/run-action.ts';

describe('parseOutputs', () => {
  it('reads back what @actions/core writes, whatever the values hold', () => {
    const name = fc.stringMatching(/^[a-z][a-z-]{0,10}$/u);
    const value = fc.oneof(
      fc.constantFrom('', '\n', '\r\n', 'a\r', '\ra', 'outcome<<E\ncompliant\nE', 'ghadelimiter_\n'),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (outputs) => {
        const file = Object.entries(outputs).map(([key, text]) => prepareKeyValueMessage(key, text) + EOL);
        expect(parseOutputs(file.join(''))).toEqual(outputs);
      }),
    );
  });

  it('takes the last of several values of one name, as the runner does', () => {
    const file = ['first', 'second'].map((text) => prepareKeyValueMessage('state', text) + EOL).join('');
    expect(parseOutputs(file)).toEqual({ state: 'second' });
  });

  it('finds nothing in an empty file', () => {
    expect(parseOutputs('')).toEqual({});
  });

  it('refuses a file that the runner would refuse', () => {
    expect(() => parseOutputs(`state<<END${EOL}never ended${EOL}`)).toThrow('state');
    expect(() => parseOutputs(`no heading${EOL}`)).toThrow('no heading');
  });
});
