import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { harmless } from '../../../src/step/report/runner.ts';
import { codePoint } from '../../support/code-point.ts';
import { isWorkflowCommand, linesOfRunner } from '../../support/workflow-command.ts';

describe('harmless', () => {
  it('does not change text that is not a command', () => {
    expect(harmless('fix: a :: b\n  C:\\x\n# [x]')).toBe('fix: a :: b\n  C:\\x\n# [x]');
  });

  it.each([
    ['::set-output name=x::y', ': :set-output name=x::y'],
    ['  ::stop-commands::x', '  : :stop-commands::x'],
    ['\u0085::add-mask::x', '\u0085: :add-mask::x'],
    ['\u2003\u00A0::error::x', '\u2003\u00A0: :error::x'],
    ['a ##[error]x', 'a ## [error]x'],
    ['first\r::error::x', 'first\n: :error::x'],
  ])('defuses %p', (text, clean) => {
    expect(harmless(text)).toBe(clean);
  });

  it('leaves no line that the runner would take for a command, in any text', () => {
    const piece = fc.oneof(
      fc.constantFrom('::', ':', '##[', '#', '[', '\n', '\r', ' ', '\t', '\u0085', '\u00A0', '\uFEFF', '\u2028', 'x'),
      fc.string({ unit: codePoint, maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(linesOfRunner(harmless(pieces.join(''))).filter(isWorkflowCommand)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
