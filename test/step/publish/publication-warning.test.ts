import { expect, it } from '@jest/globals';
import { sentences } from '../../../src/step/publish/sentences.ts';

it('gives each text one full stop, and leaves out what is empty', () => {
  expect(sentences('No answer', 'Is it locked?', '', ' Run it again. ')).toBe('No answer. Is it locked? Run it again.');
});
