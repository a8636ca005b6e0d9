import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { linksOf } from '../support/markdown.ts';
import { docPages, readText } from '../support/repository.ts';

const pages = ['README.md', 'CONTRIBUTING.md', 'examples/README.md', ...docPages];
const widestRow = 120;

function longerLines(page: string, longest: number, isMeant: (line: string) => boolean = () => true): string[] {
  return readText(page)
    .split('\n')
    .filter((line) => isMeant(line) && line.length > longest);
}

describe('the README', () => {
  it('is short: at most 200 lines of at most 160 columns', () => {
    expect(readText('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
    expect(longerLines('README.md', 160)).toEqual([]);
  });
});

describe('the page about the architecture', () => {
  it('fits on two screens', () => {
    expect(readText('docs/contributing/architecture.md').split('\n').length).toBeLessThanOrEqual(120);
  });
});

describe.each(pages)('%s', (page) => {
  it('has no table wider than a screen', () => {
    expect(longerLines(page, widestRow, (line) => line.trimStart().startsWith('|'))).toEqual([]);
  });
});

describe.each(readdirSync('docs/contributing/decisions'))('the decision %s', (name) => {
  const page = readText(`docs/contributing/decisions/${name}`);

  it('is one page, and is listed', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(linksOf(readText('docs/contributing/architecture.md'))).toContain(`decisions/${name}`);
  });
});

const guides = docPages.filter((page) => page.startsWith('docs/how-to/'));

describe.each(guides)('the guide %s', (page) => {
  it('is short, and starts with the YAML', () => {
    expect(readText(page).trimEnd().split('\n').length).toBeLessThanOrEqual(120);
    expect(readText(page)).toMatch(/^# .+\n\nFor [^#]*?\n\n```yaml\n/u);
  });
});

describe('the list of pages', () => {
  const listed = linksOf(readText('docs/README.md'));

  it.each(docPages.filter((page) => !/README|decisions/u.test(page)))('has %s', (page) => {
    expect(listed).toContain(page.replace('docs/', ''));
  });
});

describe.each(['examples/README.md', 'CONTRIBUTING.md', ...docPages])('%s', (page) => {
  it('says in its first sentence whom it is for', () => {
    const [, first = ''] = /^# .+\n\n(.+)/mu.exec(readText(page)) ?? [];
    expect(first).toMatch(/^For /u);
  });
});
