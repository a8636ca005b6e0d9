import { expect } from '@jest/globals';
import type { Input } from '../../src/operations/inputs/input.ts';

/** Valid texts of an input with their values, and invalid texts with a part of the rule. */
export interface InputCases {
  readonly good: readonly (readonly [text: string, value: unknown])[];
  readonly bad: readonly (readonly [text: string, rule: RegExp])[];
}

/** Checks that an input accepts and rejects these, with a rule that ends a sentence and a remedy that is a sentence. */
export function expectInput(input: Input<unknown>, { good, bad }: InputCases): void {
  expect(good.map(([text]) => input.parse(text))).toEqual(good.map(([, value]) => ({ value })));
  for (const [text, rule] of bad) {
    expect(input.parse(text)).toEqual(
      expect.objectContaining({
        problem: expect.stringMatching(rule),
        remedy: expect.stringMatching(/^[A-Z].*\.$/u),
      }),
    );
  }
}
