import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseImageName } from '../../../src/evidence/registry/image-name.ts';
import { parseChallenge } from '../../../src/evidence/registry/registry-login.ts';
import { resolveImage } from '../../../src/evidence/registry/resolve-image.ts';
import { createTransport } from '../../../src/http/undici-transport.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { ExternalError, UserError } from '../../../src/runtime/failure.ts';
import { closedPort } from '../../../tools/loopback-server.ts';
import { failureOf } from '../../support/failures.ts';
import {
  basic,
  dockerConfig,
  type FakeRegistry,
  identityToken,
  imageManifest,
  type RegistrySettings,
  registryToken,
  registryUser,
  startRegistry,
} from '../../support/fake-registry.ts';
import type { FakeReply } from '../../support/fake-server.ts';
import { collectingLog } from '../../support/log.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const opened: FakeRegistry[] = [];
const folder = workspaceForEachTest();
let secrets: string[];
beforeEach(() => {
  secrets = [];
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((registry) => registry.close()));
});

async function open(settings: RegistrySettings = {}): Promise<FakeRegistry> {
  const registry = await startRegistry(settings);
  opened.push(registry);
  return registry;
}

/** Resolves an image with the credentials of the folder. */
async function resolve(name: string, config?: string): Promise<string> {
  if (config !== undefined) await folder.write('config.json', config);
  const transport = createTransport({});
  try {
    return await resolveImage(name, {
      call: {
        transport,
        clock: systemClock,
        random: () => 0,
        log: collectingLog(),
        retryPolicy: { requestTimeout: 10_000, retries: 0 },
      },
      environment: { DOCKER_CONFIG: folder.path },
      workspace: folder.path,
      addSecret: (secret) => secrets.push(secret),
    });
  } finally {
    await transport.close();
  }
}

/** What was requested: method, path and credentials. */
function seen({ requests }: FakeRegistry): readonly (string | undefined)[][] {
  return requests.map(({ method, url, headers }) => [`${method} ${url.replace(/\?.*/u, '')}`, headers.authorization]);
}

describe('resolving an image', () => {
  it('asks an open registry without credentials, although there are some', async () => {
    const registry = await open();
    const digest = registry.pushImage('acme/web', '1');
    await expect(resolve(`${registry.host}/acme/web:1`, dockerConfig(registry.host))).resolves.toBe(digest);
    expect(seen(registry)).toEqual([['GET /v2/acme/web/manifests/1', undefined]]);
  });

  it('takes the digest of the index of an image for several platforms', async () => {
    const registry = await open();
    const digest = registry.pushIndex('web', 'latest');
    await expect(resolve(`${registry.host}/web`)).resolves.toBe(digest);
    expect(digest).not.toBe(imageManifest().digest);
  });

  it.each([
    ['as `docker login` writes them', (host: string) => dockerConfig(host)],
    ['by a URL', (host: string) => dockerConfig(`https://${host}/v2/`)],
    [
      'in two fields',
      (host: string) =>
        JSON.stringify({ auths: { [host]: { username: registryUser.name, password: registryUser.password } } }),
    ],
  ])('gets a token with the credentials of the file, %s', async (_, config) => {
    const registry = await open({ access: 'token' });
    const digest = registry.pushImage('acme/web', '1');
    await expect(resolve(`${registry.host}/acme/web:1`, config(registry.host))).resolves.toBe(digest);
    expect(seen(registry)).toEqual([
      ['GET /v2/acme/web/manifests/1', undefined],
      ['GET /token', basic()],
      ['GET /v2/acme/web/manifests/1', `Bearer ${registryToken}`],
    ]);
    expect(secrets).toEqual([registryUser.password, registryToken]);
  });

  it('exchanges an identity token, in the body of a request', async () => {
    const registry = await open({ access: 'token' });
    const digest = registry.pushImage('acme/web', '1');
    const auth = Buffer.from('00000000-0000-0000-0000-000000000000:').toString('base64');
    const config = JSON.stringify({ auths: { [registry.host]: { auth, identitytoken: identityToken } } });
    await expect(resolve(`${registry.host}/acme/web:1`, config)).resolves.toBe(digest);
    expect(seen(registry)[1]).toEqual(['POST /token', undefined]);
    expect(registry.requests.map(({ url }) => url).join()).not.toContain(identityToken);
    expect(secrets).toEqual([identityToken, registryToken]);
  });

  it.each(['token', 'password'] as const)('says which credentials are missing (%s)', async (access) => {
    const registry = await open({ access });
    const file = join(folder.path, 'config.json');
    const name = `${registry.host}/acme/web:1`;
    const failing = async (config?: unknown): Promise<string> => {
      const failure = await failureOf(resolve(name, config === undefined ? undefined : JSON.stringify(config)));
      expect(failure).toBeInstanceOf(UserError);
      return failure.message;
    };
    const begin = `the registry ${registry.host} does not show the image ${name} (401): it does not exist, or `;
    expect(await failing()).toBe(`${begin}needs credentials, and ${file} has none for ${registry.host}`);
    expect(await failing({ auths: { 'ghcr.io': { auth: 'cm9ib3Q6c2VjcmV0' } } })).toContain('has none for');
    const helped = `${begin}needs credentials, which ${file} leaves to the credential helper "desktop"; this action runs no helpers`;
    expect(await failing({ auths: { [registry.host]: {} }, credsStore: 'desktop' })).toBe(helped);
    expect(await failing({ credHelpers: { [registry.host]: 'desktop' } })).toBe(helped);
    const wrong = { username: 'robot', password: 'a-wrong-password' };
    expect(await failing({ auths: { [registry.host]: wrong } })).toBe(
      `${begin}may not be read with the credentials in ${file}`,
    );
  });

  it('does not quote a credentials file that is malformed', async () => {
    const registry = await open({ access: 'token' });
    const failure = await failureOf(resolve(`${registry.host}/web:1`, '{"auths": the-password'));
    expect(failure.message).toBe(`the Docker credentials file ${join(folder.path, 'config.json')} is not JSON`);
    expect(JSON.stringify(failure)).not.toContain('the-password');
  });

  it('follows a redirect without credentials', async () => {
    const other = await open();
    const digest = other.pushImage('acme/web', '1');
    const registry = await open({
      access: 'password',
      fault: ({ headers, url }) =>
        headers.authorization === undefined
          ? undefined
          : { status: 307, headers: { location: `http://${other.host}${url}` } },
    });
    await expect(resolve(`${registry.host}/acme/web:1`, dockerConfig(registry.host))).resolves.toBe(digest);
    expect(seen(other)).toEqual([['GET /v2/acme/web/manifests/1', undefined]]);
  });

  it.each(['http://other.example.com/v2/', 'file:///etc/passwd', 'not a URL:', ''])(
    'does not follow a redirect to %j',
    async (location) => {
      const registry = await open({ fault: () => ({ status: 302, headers: { location } }) });
      const failure = await failureOf(resolve(`${registry.host}/web:1`));
      expect(failure.message).toBe(
        `the registry ${registry.host} answered 302 when it was asked for the image ${registry.host}/web:1`,
      );
    },
  );

  it('ends redirects in circles', async () => {
    const registry = await open({ fault: ({ url }) => ({ status: 302, headers: { location: url } }) });
    await expect(resolve(`${registry.host}/web:1`)).rejects.toThrow('answered 302');
    expect(registry.requests).toHaveLength(4);
  });

  const manifest = imageManifest();
  const replies: readonly (readonly [string, FakeReply, string])[] = [
    ['no image', { status: 404 }, 'has no image'],
    ['an error', { status: 500 }, 'answered 500'],
    ['a login page', { status: 200, body: '<html>' }, 'answered something that is not the manifest'],
    ['JSON of another kind', { status: 200, body: '{"errors":[]}' }, 'answered something that is not the manifest'],
    ['the first format', { status: 200, body: '{"schemaVersion":1,"fsLayers":[]}' }, 'not the manifest'],
    [
      'another digest',
      { status: 200, headers: { 'docker-content-digest': `sha256:${'0'.repeat(64)}` }, body: manifest.text },
      `but its answer has sha256:${manifest.digest}`,
    ],
  ];
  it.each(replies)('says if the registry answers %s', async (_, reply, message) => {
    const registry = await open({ fault: () => reply });
    await expect(resolve(`${registry.host}/web:1`)).rejects.toThrow(message);
  });

  it('says if the registry does not answer, or issues no token', async () => {
    const failure = await failureOf(resolve(`127.0.0.1:${await closedPort()}/web:1`));
    expect(failure).toBeInstanceOf(ExternalError);
    expect(failure.message).toContain('gave no answer to GET http://127.0.0.1:');
    const registry = await open({
      access: 'token',
      fault: ({ url }) => (url.startsWith('/token') ? { status: 200, body: '{}' } : undefined),
    });
    await expect(resolve(`${registry.host}/web:1`)).rejects.toThrow('answered 200 without one');
  });
});

describe('the challenge of a registry', () => {
  const remote = parseImageName('r.example.com/web:1');
  const local = parseImageName('127.0.0.1:5000/web:1');
  const realm = (url: string): string => `Bearer realm="${url}",service="s"`;

  it.each([
    [
      'Bearer realm="https://auth.example.com/token",service="a b",scope="x,y"',
      'https://auth.example.com/token',
      'a b',
    ],
    ['bearer service=s , realm=https://auth.example.com/token', 'https://auth.example.com/token', 's'],
    ['Basic realm="Registry", Bearer realm="https://auth.example.com/t"', 'https://auth.example.com/t', undefined],
  ])('%s', (header, url, service) => {
    expect(parseChallenge(header, remote)).toEqual({ realm: new URL(url), service });
  });

  it.each([
    ['Basic realm="Registry"', 'basic'],
    ['Negotiate, basic', 'basic'],
    ['Negotiate', undefined],
    ['', undefined],
  ])('%j asks for %s', (header, expected) => {
    expect(parseChallenge(header, remote)).toBe(expected);
  });

  it.each(['http://auth.example.com/t', 'http://127.0.0.1/t', 'https://user:pass@auth.example.com/', 'nothing', ''])(
    'must not send credentials to %j',
    (url) => {
      expect(() => parseChallenge(realm(url), remote)).toThrow(
        'issues its tokens at an address that is not an https URL',
      );
    },
  );

  it('may name plain http only on the loopback, for a registry that is there', () => {
    expect(parseChallenge(realm('http://127.0.0.1:5001/t'), local)).toMatchObject({ service: 's' });
    expect(() => parseChallenge(realm('http://auth.example.com/t'), local)).toThrow(ExternalError);
  });
});
