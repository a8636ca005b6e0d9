import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf, linksOf } from '../support/markdown.ts';
import { docPages, readText, root } from '../support/repository.ts';

const folders = ['', 'examples', 'tools/bundle', '.github'];
const others = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

describe.each([...docPages, ...others])('the links of %s', (page) => {
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
