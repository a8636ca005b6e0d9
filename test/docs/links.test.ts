import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { anchorsOf, linksOf } from '../support/markdown.ts';
import { readText, root } from '../support/repository.ts';

const folders = ['', 'examples', 'tools/bundle', '.github'];
const names = [
  ...folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name))),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
];
const pages = names.filter((name) => name.endsWith('.md'));

describe.each(pages)('the links of %s', (page) => {
  const inside = linksOf(readText(page)).filter((target) => !/^\w+:/u.test(target));

  it('lead to files and headings that exist', () => {
    const broken = inside.filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : relative(root, join(root, dirname(page), path));
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && !anchorsOf(readText(file)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});
