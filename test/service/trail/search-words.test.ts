import { describe, expect, it } from '@jest/globals';
import { splitWords } from '../../../src/service/trail/search-words.ts';

describe('the words of a text', () => {
  it('are the same, however their letters are composed', () => {
    expect(splitWords('U\u0308bergang \u1ed8')).toEqual(splitWords('\u00dcbergang O\u0323\u0302'));
  });

  it('are found in time if marks are combined without end', () => {
    const start = performance.now();
    expect(splitWords(`fix${'\u0301\u0327'.repeat(50_000)} main`)).toEqual(['fix', 'main']);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
