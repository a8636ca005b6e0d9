import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isMapping, valueAt } from '../../src/runtime/untrusted-data.ts';
import { importedPackages } from '../support/imported-packages.ts';
import { readText, root } from '../support/repository.ts';

const manifest: unknown = JSON.parse(readText('package.json'));
const lockfile: unknown = JSON.parse(readText('package-lock.json'));

describe('the dependencies in package.json', () => {
  it('are the packages that the sources load, so `npm ci --omit=dev` is enough', () => {
    const loaded = sources().flatMap((path) => importedPackages(readText(path)));
    expect(loaded).toEqual(expect.arrayContaining(['fastify', 'nodemailer', 'undici']));
    expect(keysAt(manifest, 'dependencies').sort()).toEqual([...new Set(loaded)].sort());
  });

  it('are not listed as development dependencies, too', () => {
    const development = new Set(keysAt(manifest, 'devDependencies'));
    expect(keysAt(manifest, 'dependencies').filter((name) => development.has(name))).toEqual([]);
  });
});

it('package-lock.json names no registry, so that each machine can use its own', () => {
  expect(keysAt(lockfile, 'packages').length).toBeGreaterThan(100);
  const packages = valueAt(lockfile, 'packages');
  const withAddress = Object.entries(isMapping(packages) ? packages : {}).filter(
    ([, entry]) => valueAt(entry, 'resolved') !== undefined,
  );
  expect(withAddress.map(([path]) => path)).toEqual([]);
});

describe('importedPackages', () => {
  it.each([
    ["import a from 'a';", ['a']],
    ["import { type B } from '@scope/b';", ['@scope/b']],
    ["import 'c/file.js';", ['c']],
    ["export { d } from 'd';", ['d']],
    ["const e = await import('e');", ['e']],
    ["readFileSync(fileURLToPath(import.meta.resolve('r')));", ['r']],
    ["import type { F } from 'f';", []],
    ["export type { G } from 'g';", []],
    ["type H = typeof import('h');", []],
    ["import { i } from './i.ts';", []],
    ["import { join } from 'node:path';", []],
  ])('%s', (source, packages) => {
    expect(importedPackages(source)).toEqual(packages);
  });
});

function sources(): readonly string[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join('src', name));
}

function keysAt(value: unknown, key: string): string[] {
  const found = valueAt(value, key);
  return isMapping(found) ? Object.keys(found) : [];
}
