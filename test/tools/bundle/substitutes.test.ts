import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const folder = join(import.meta.dirname, '..', '..', '..', 'tools', 'bundle', 'substitutes');
const require = createRequire(import.meta.url);

async function exportOf(file: string, name: string): Promise<unknown> {
  const module = (await import(join(folder, file))) as Readonly<Record<string, unknown>>;
  return module[name];
}

function call(callable: unknown): unknown {
  if (typeof callable !== 'function') throw new Error('not callable');
  return (callable as () => unknown)();
}

describe('what the bundle leaves out', () => {
  it.each([
    ['undici-fetch.js', 'fetch', 'undici.fetch was left out of the bundle'],
    ['mime-types.js', 'lookup', 'mime-types.lookup was left out of the bundle'],
  ])('fails with its name when it is used: %s', async (file, name, words) => {
    const used = await exportOf(file, name);
    expect(() => call(used)).toThrow(words);
  });

  it('fails with its name when it is used: the methods of Octokit', async () => {
    const made = call(await exportOf('octokit-rest-methods.js', 'restEndpointMethods')) as { rest: { repos: unknown } };
    expect(() => made.rest.repos).toThrow('octokit.rest.repos was left out of the bundle');
  });

  it.each([
    ['node-https.cjs', 'request', 'https.request was left out of the bundle'],
    ['node-crypto.cjs', 'randomBytes', 'crypto.randomBytes was left out of the bundle'],
  ])('fails with its name when it is used: %s', (file, name, words) => {
    const module = require(join(folder, file)) as Readonly<Record<string, unknown>>;
    expect(() => call(module[name])).toThrow(words);
  });

  it('fails with its name when it is used: HTTP/2', () => {
    expect(() => call(require(join(folder, 'undici-client-h2.cjs')))).toThrow('HTTP/2 was left out of the bundle');
  });

  it('fails with its name when it is used: SOCKS5', () => {
    expect(() => call(require(join(folder, 'undici-socks5-proxy-agent.cjs')))).toThrow(
      'SOCKS5 was left out of the bundle',
    );
  });

  it('says in each file what it replaces, and why', () => {
    const parts = new Set(['left-out.js', 'undici-fetch.js', 'undici-proxies.cjs']);
    const files = readdirSync(folder).filter((name) => /\.c?js$/u.test(name) && !parts.has(name));
    const silent = files.filter(
      (name) => !/^\/\/ Replaces: .*?\n\/\/ Why: /su.test(readFileSync(join(folder, name), 'utf8')),
    );
    expect(silent).toEqual([]);
  });
});

it('names a class as the package does that is replaced', () => {
  const named = (setToStringTag: unknown): unknown => {
    const made = {};
    (setToStringTag as (object: object, name: string) => void)(made, 'FormData');
    return Object.getOwnPropertyDescriptor(made, Symbol.toStringTag);
  };
  expect(named(require(join(folder, 'es-set-tostringtag.cjs')))).toEqual(named(require('es-set-tostringtag')));
});

describe('the part of undici that is replaced', () => {
  const undici = join(import.meta.dirname, '..', '..', '..', 'node_modules', 'undici', 'lib');
  const source = (file: string): string => readFileSync(join(undici, file), 'utf8');

  it("has every constant that undici's client uses, with its value", () => {
    const constants = require(join(undici, 'llhttp', 'constants.js')) as Readonly<Record<string, unknown>>;
    const substitute = require(join(folder, 'undici-parser-constants.cjs')) as Readonly<Record<string, unknown>>;
    const used = [...source('dispatcher/client-h1.js').matchAll(/\bconstants\.([A-Z]\w+)/gu)].map(
      ([, name]) => name ?? '',
    );
    expect(new Set(used)).toEqual(new Set(Object.keys(substitute)));
    for (const [name, value] of Object.entries(substitute)) expect(value).toEqual(constants[name]);
  });
});
