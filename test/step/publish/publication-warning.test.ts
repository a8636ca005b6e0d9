import { expect, it } from '@jest/globals';
import { joinSentences } from '../../../src/step/publish/publication-warning.ts';

it('ends each sentence with one full stop, and leaves out empty ones', () => {
  expect(joinSentences('No answer', 'Is it locked?', '', ' Run it again. ')).toBe(
    'No answer. Is it locked? Run it again.',
  );
});
