import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { outputLines } from '../../../src/step/report/output-lines.ts';
import { parseOutputs } from '../../../tools/run-action.ts';

const tricky = fc.constantFrom(
  'end-of-output-0',
  'a\nend-of-output-0\nb',
  'end-of-output-0\nend-of-output-1',
  'outcome<<end-of-output-0\ncompliant\nend-of-output-0',
  '',
  '\n',
  'é✅\n\n',
);

describe('outputLines', () => {
  it('puts each value between two delimiter lines', () => {
    expect(outputLines({ outcome: 'compliant', state: '' })).toBe(
      'outcome<<end-of-output-0\ncompliant\nend-of-output-0\nstate<<end-of-output-0\n\nend-of-output-0\n',
    );
  });

  it('preserves every value', () => {
    const value = fc.oneof(
      tricky,
      fc.string({ unit: 'binary' }),
      fc.array(tricky).map((parts) => parts.join('\n')),
    );
    // The runner accepts each of these as a line break, and returns lines with its own.
    const lines = value.map((text) => text.replaceAll('\r', ''));
    fc.assert(
      fc.property(fc.record({ outcome: lines, response: lines, fingerprint: lines }), (outputs) => {
        expect(parseOutputs(outputLines(outputs))).toEqual(outputs);
      }),
    );
  });

  it('scans a value once, however many of its lines look like delimiters', () => {
    const lines = Array.from({ length: 200_000 }, (_, number) => `end-of-output-${number}`).join('\n');
    expect(outputLines({ response: lines })).toContain('response<<end-of-output-200000\n');
  });

  it('preserves the line breaks of every system', () => {
    const lines = 'outcome<<x\r\ncompliant\r\nx\r\nstate<<x\r\n\r\nx\r\n';
    expect(parseOutputs(lines)).toEqual({ outcome: 'compliant', state: '' });
    expect(parseOutputs(lines.replaceAll('\r', ''))).toEqual({ outcome: 'compliant', state: '' });
  });
});
