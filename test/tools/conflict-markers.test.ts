import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { conflictMarkers } from '../../tools/conflict-markers.ts';
import { type GitFolder, gitFolder, isolatedGit } from '../support/git-repository.ts';
import { readText, root } from '../support/repository.ts';

// Put together here, so that this file holds no marker.
const [ours, base, middle, theirs] = ['<', '|', '=', '>'].map((sign) => sign.repeat(7));

describe('conflictMarkers', () => {
  it.each([
    ['ours', `${ours} HEAD`],
    ['ours without a name', `${ours}`],
    ['the common ancestor', `${base} merged common ancestors`],
    ['the separator', `${middle}`],
    ['theirs', `${theirs} 68ab189 (A change)`],
    ['theirs, reformatted as a quotation', `${'> '.repeat(7)}68ab189 (A change)`],
    ['a quotation without spaces', `${'>'.repeat(4)} text`],
    ['an indented one', `   ${ours} HEAD`],
    ['a line end of Windows', `${middle}\r`],
  ])('finds %s', (_what, line) => {
    expect(conflictMarkers(`first\n${line}\nlast\n`)).toEqual([{ line: 2, text: line.trimEnd() }]);
  });

  it.each([
    ['an underlined heading', `Heading\n${'='.repeat(12)}`],
    ['a comparison', 'if (a === b) {'],
    ['a quotation', '> a\n> > b'],
    ['an empty cell', `${base}a`],
    ['a here document', 'cat <<END'],
    ['a shift', 'x >>>= 7'],
  ])('ignores %s', (_what, text) => {
    expect(conflictMarkers(text)).toEqual([]);
  });
});

describe('the check for conflict markers', () => {
  let folder: GitFolder;
  let repository: string;

  beforeEach(() => {
    folder = gitFolder();
    repository = folder.repository('checked');
  });

  afterEach(() => {
    folder.remove();
  });

  function check(files: Readonly<Record<string, string>>): { status: number | null; stderr: string } {
    mkdirSync(join(repository, 'dist'), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(repository, name), content);
    folder.git(repository, 'add', '--all');
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'tools', 'check-conflict-markers.ts')], {
      cwd: repository,
      env: { ...isolatedGit },
      encoding: 'utf8',
    });
    return { status, stderr };
  }

  it('fails and prints the file, line and text of each marker', () => {
    const { status, stderr } = check({ 'a b.md': `x\n${ours} HEAD\n`, 'c.yml': `${middle}\n`, 'd.ts': 'sound\n' });
    expect(status).toBe(1);
    expect(stderr).toContain(`a b.md:2: ${ours} HEAD\nc.yml:1: ${middle}\n`);
    expect(stderr).not.toContain('d.ts');
  });

  it('ignores generated files and binary files', () => {
    const marker = `${middle}\n`;
    const files = { 'dist/index.js': marker, 'package-lock.json': marker, 'image.bin': `\0\n${marker}` };
    expect(check(files)).toEqual({ status: 0, stderr: '' });
  });

  it('is part of `npm run lint`, which `.ci/run` runs', () => {
    expect(readText('package.json')).toMatch(/"lint": "[^"]*node tools\/check-conflict-markers\.ts/u);
    expect(readText('.ci/run')).toContain('npm run lint');
  });
});
