import { expect, it } from '@jest/globals';
import { joinSentences } from '../../../src/step/publish/publication-warning.ts';

it('gives each text one full stop, and leaves out what is empty', () => {
  expect(joinSentences('No answer', 'Is it locked?', '', ' Run it again. ')).toBe(
    'No answer. Is it locked? Run it again.',
  );
});
