import { describe, expect, it } from '@jest/globals';
import { isNewest, isNewestOfMajor, parseVersion, stableVersions } from '../../../tools/release/version.ts';

describe('parseVersion', () => {
  it.each([
    ['1.2.3', false],
    ['0.1.0', false],
    ['10.20.30', false],
    ['1.0.0-rc.1', true],
    ['1.0.0-alpha-2.x', true],
  ])('reads %s', (text, isPreRelease) => {
    expect(parseVersion(text)).toMatchObject({ text, isPreRelease });
  });

  it.each(['', 'v1.2.3', '1.2', '1.2.3.4', '01.2.3', '1.2.3-', '1.2.3-01', '1.2.3+build', ' 1.2.3', '1.2.3\n', 'main'])(
    'rejects "%s"',
    (text) => {
      expect(() => parseVersion(text)).toThrow(`"${text}" is not a version. Give one like 1.2.3`);
    },
  );
});

describe('the newest version', () => {
  const stable = stableVersions(['v1.2.3', 'v1.10.0', 'v2.0.0-rc.1', 'v1', 'source/v3.0.0', 'latest', '']);

  it('is looked for among the tags of stable versions', () => {
    expect(stable.map(({ text }) => text)).toEqual(['1.2.3', '1.10.0']);
  });

  it.each([
    ['1.10.0', true, true],
    ['1.10.1', true, true],
    ['1.9.9', false, false],
    ['2.0.0', true, true],
    ['2.0.0-rc.2', false, false],
    ['0.9.0', true, false],
  ])('%s: of its major version %s, of all %s', (text, ofMajor, ofAll) => {
    const version = parseVersion(text);
    expect([isNewestOfMajor(version, stable), isNewest(version, stable)]).toEqual([ofMajor, ofAll]);
  });
});
