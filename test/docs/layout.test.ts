import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { linksOf } from '../support/markdown.ts';
import { readText } from '../support/repository.ts';

const inDocs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const pages = ['README.md', 'CONTRIBUTING.md', 'examples/README.md', ...inDocs.map((name) => `docs/${name}`)];
const widestRow = 120;

function longerLines(page: string, longest: number, isMeant: (line: string) => boolean = () => true): string[] {
  return readText(page)
    .split('\n')
    .filter((line) => isMeant(line) && line.length > longest);
}

describe('the README', () => {
  it('is short: at most 250 lines of at most 160 columns', () => {
    expect(readText('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(250);
    expect(longerLines('README.md', 160)).toEqual([]);
  });
});

describe('the page about the architecture', () => {
  it('fits on two screens', () => {
    expect(readText('docs/architecture.md').split('\n').length).toBeLessThanOrEqual(120);
  });
});

describe.each(pages)('%s', (page) => {
  it('has no table wider than a screen', () => {
    expect(longerLines(page, widestRow, (line) => line.trimStart().startsWith('|'))).toEqual([]);
  });
});

describe.each(readdirSync('docs/decisions'))('the decision %s', (name) => {
  const page = readText(`docs/decisions/${name}`);

  it('is one page, for a named reader, and is listed', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(page).toMatch(/^# .+\n\nFor /u);
    for (const list of ['docs/README.md', 'docs/architecture.md']) {
      expect(linksOf(readText(list))).toContain(`decisions/${name}`);
    }
  });
});

describe('the list of pages', () => {
  const listed = linksOf(readText('docs/README.md'));

  it.each(inDocs.filter((name) => name !== 'README.md'))('has %s', (name) => {
    expect(listed).toContain(name);
  });
});

describe.each(['examples/README.md', 'CONTRIBUTING.md', ...inDocs.map((name) => `docs/${name}`)])('%s', (page) => {
  it('says in its first sentence whom it is for', () => {
    const [, first = ''] = /^# .+\n\n(.+)/mu.exec(readText(page)) ?? [];
    expect(first).toMatch(/^For /u);
  });
});
