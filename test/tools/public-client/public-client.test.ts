import { describe, expect, it } from '@jest/globals';
import { isMapping, listAt, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { unsupportedPlatform } from '../../../tools/public-client/public-client.ts';
import { readText } from '../../support/repository.ts';

const lockfile: unknown = JSON.parse(readText('tools/public-client/locked/package-lock.json'));
const packages = valueAt(lockfile, 'packages');
const locked = Object.entries(isMapping(packages) ? packages : {}).filter(([path]) => path !== '');

describe('the locked public client', () => {
  it('has an exact version and a SHA-512, and names no registry', () => {
    expect(locked.length).toBeGreaterThan(0);
    for (const [, entry] of locked) {
      expect(textAt(entry, 'version')).toMatch(/^\d+\.\d+\.\d+$/u);
      expect(textAt(entry, 'integrity')).toMatch(/^sha512-/u);
      expect(valueAt(entry, 'resolved')).toBeUndefined();
    }
  });

  it('runs on the platforms of its packages, and says where it does not', () => {
    const platforms = locked.flatMap(([, entry]) =>
      listAt(entry, 'os').flatMap((os) => listAt(entry, 'cpu').map((cpu) => `${String(os)}-${String(cpu)}`)),
    );
    expect(platforms.filter((platform) => unsupportedPlatform(platform) !== undefined)).toEqual([]);
    expect(unsupportedPlatform('freebsd-x64')).toBe(
      'The public client is not tested on freebsd-x64: tools/public-client/locked has packages only for linux-x64. Run `npm run test:client` there.',
    );
  });
});
