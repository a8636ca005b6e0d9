import { describe, expect, it } from '@jest/globals';
import { codeWordsOf } from '../support/markdown.ts';
import { readText } from '../support/repository.ts';

const [, section = ''] = /^## What a red step means\n(.*?)^## /msu.exec(readText('docs/verdicts.md')) ?? [];

describe('the page about verdicts', () => {
  it('has the titles of annotations that the gate uses', () => {
    const gate = readText('src/step/run/gate.ts');
    const titles = section
      .split('\n')
      .filter((line) => line.startsWith('`'))
      .flatMap(codeWordsOf);
    expect(titles.length).toBeGreaterThan(8);
    for (const title of titles) expect(gate).toContain(title.replace(/^… |: …$/u, ''));
  });
});
