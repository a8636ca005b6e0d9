import { join, parse, resolve, win32 } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { archiveName, uniqueNames } from '../../../src/evidence/files/archive-name.ts';
import { itWithPosixFiles } from '../../support/platform.ts';

const { root } = parse(resolve('.'));
const workspace = join(root, 'home', 'runner', 'web');

describe("a file's name in an archive", () => {
  it.each([
    ['D:\\a\\web\\dist\\web.tgz', 'dist/web.tgz'],
    ['d:\\A\\web\\dist\\web.tgz', 'dist/web.tgz'],
    ['D:\\a\\other\\x', '__parent__/other/x'],
    ['C:\\tools\\x', '__root__/C/tools/x'],
    ['\\\\server\\share\\x', '__root__/server/share/x'],
  ])('of %s on Windows is %s', (file, name) => {
    expect(archiveName(file, 'D:\\a\\web', win32)).toBe(name);
  });

  itWithPosixFiles('starts at the root when only the root is shared', () => {
    expect(archiveName('/tmp/x', workspace)).toBe('__root__/tmp/x');
    expect(archiveName('/tmp/x', '/')).toBe('tmp/x');
  });

  itWithPosixFiles('holds no backslash, which would be a separator on Windows', () => {
    expect(archiveName(join(workspace, String.raw`..\..\x`), workspace)).toBe('.._.._x');
  });

  it('stays inside the directory it is unpacked in', () => {
    const name = fc.stringMatching(/^[a-c.\\ ]{1,4}$/).filter((text) => text !== '.' && text !== '..');
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), fc.array(name, { minLength: 1, maxLength: 5 }), (home, way) => {
        const named = archiveName(join(root, ...way), join(root, ...home));
        const parts = named.split('/');
        if (join(root, ...home).startsWith(join(root, ...way))) return;
        expect(parts).not.toContain('..');
        expect(parts).not.toContain('');
        expect(named).not.toContain('\\');
      }),
    );
  });

  it('is unique', () => {
    expect(uniqueNames(['a', 'b', 'a', '_a', 'a'])).toEqual(['a', 'b', '_a', '__a', '___a']);
    expect(uniqueNames(['Report.xml', 'report.xml'])).toEqual(['Report.xml', '_report.xml']);
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^_{0,3}[ab]$/)), (names) => {
        const unique = uniqueNames(names);
        expect(new Set(unique).size).toBe(names.length);
        unique.forEach((one, at) => {
          expect(one.endsWith(names[at] ?? '')).toBe(true);
        });
      }),
    );
  });
});
