import { describe, expect, it } from '@jest/globals';
import { commitStatus } from '../../../src/operations/inputs/publication.ts';

describe('the context of a commit status', () => {
  it.each(['compliance', 'compliance/web (main)', 'Prüfung ✅', 'x'.repeat(255)])('may be %j', (text) => {
    expect(commitStatus.parse(text)).toEqual({ value: text });
  });

  it.each(['x'.repeat(256), 'two\nlines', 'rocket 🚀'])('must be what GitHub stores, not %j', (text) => {
    expect(commitStatus.parse(text)).toMatchObject({ problem: expect.stringContaining('at most 255 characters') });
  });
});
