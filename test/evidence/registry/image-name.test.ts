import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseImageName } from '../../../src/evidence/registry/image-name.ts';
import { UserError } from '../../../src/runtime/failure.ts';

const hub = { host: 'index.docker.io', origin: 'https://registry-1.docker.io' };

describe('the name of an image', () => {
  it.each([
    ['nginx', { ...hub, repository: 'library/nginx', tag: 'latest' }],
    ['nginx:1.27', { ...hub, repository: 'library/nginx', tag: '1.27' }],
    ['acme/web', { ...hub, repository: 'acme/web', tag: 'latest' }],
    ['docker.io/nginx', { ...hub, repository: 'library/nginx', tag: 'latest' }],
    ['index.docker.io/acme/web:1', { ...hub, repository: 'acme/web', tag: '1' }],
    ['ghcr.io/acme/web:1.4', { host: 'ghcr.io', origin: 'https://ghcr.io', repository: 'acme/web', tag: '1.4' }],
    [
      'r.example.com:5000/a/b/c__d:x',
      { host: 'r.example.com:5000', origin: 'https://r.example.com:5000', repository: 'a/b/c__d', tag: 'x' },
    ],
    ['localhost/web', { host: 'localhost', origin: 'http://localhost', repository: 'web', tag: 'latest' }],
    ['127.0.0.1:5000/web:1', { host: '127.0.0.1:5000', origin: 'http://127.0.0.1:5000', repository: 'web', tag: '1' }],
    ['[::1]:5000/web:1', { host: '[::1]:5000', origin: 'http://[::1]:5000', repository: 'web', tag: '1' }],
  ])('%s', (name, expected) => {
    expect(parseImageName(name)).toEqual(expected);
  });

  it.each([
    '',
    ':1',
    'web:',
    'ghcr.io/acme/web:',
    'ghcr.io/acme//web',
    'ghcr.io/',
    'Web',
    'ghcr.io/Acme/web',
    'web:1:2',
    'web:a/b',
    'ghcr.io/acme/../web',
    'ghcr.io/acme/web?x=1',
    'user:password@ghcr.io/web',
    'https://ghcr.io/acme/web',
    'localhost:99999/web',
    `web:${'t'.repeat(129)}`,
    `ghcr.io/${'a'.repeat(256)}`,
  ])('is not %j', (name) => {
    expect(() => parseImageName(name)).toThrow(UserError);
  });

  it('never leads to another host, or to another address than that of a manifest', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.constantFrom('', 'ghcr.io/', 'localhost/'),
        (text, prefix) => {
          try {
            const { origin, repository, tag } = parseImageName(prefix + text);
            const url = new URL(`${origin}/v2/${repository}/manifests/${tag}`);
            expect(url.origin).toBe(origin);
            expect(url.href).toBe(`${origin}/v2/${repository}/manifests/${tag}`);
            if (prefix !== '') expect(url.hostname).toBe(prefix.slice(0, -1));
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(UserError);
          }
        },
      ),
    );
  });
});
