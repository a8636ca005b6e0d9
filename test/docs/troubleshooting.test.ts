import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readText, root } from '../support/repository.ts';

/** The sources, with the quotes in their texts as a reader of an error sees them. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readText(join('src', name)).replaceAll(/\\([`'"])/gu, '$1'));

/** The headings in quotation marks: the words of errors. */
const pages = ['docs/troubleshooting.md', 'docs/operate/troubleshooting.md'].map(readText);
const quoted = pages.flatMap((page) => [...page.matchAll(/^### "(.*)"$/gmu)].flatMap(([, text]) => text ?? []));

/** What of an error is always the same: not what `…` stands for, and no status. */
function fixedWords(text: string): readonly string[] {
  return text
    .replaceAll(/\b[1-5]\d\d\b/gu, '…')
    .split('…')
    .map((words) => words.trim())
    .filter((words) => /\p{L}{2}/u.test(words));
}

describe('the pages for troubleshooting', () => {
  it('has errors', () => {
    expect(quoted.length).toBeGreaterThan(30);
  });

  it('explains each error once', () => {
    expect(quoted.filter((text, index) => quoted.indexOf(text) !== index)).toEqual([]);
  });

  it.each(quoted)('quotes a message of the code: %s', (text) => {
    const words = fixedWords(text);
    expect(words).not.toEqual([]);
    expect(sources.filter((source) => words.every((part) => source.includes(part)))).not.toEqual([]);
  });
});
