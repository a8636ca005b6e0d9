import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK } from 'jose';
import { createSigningKey, type SigningKey, signToken } from '../../tools/identity-provider.ts';
import { type LoopbackServer, serve } from '../../tools/loopback-server.ts';
import { policyForm } from '../support/environment-samples.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { attestationForm, sampleArtifact, sampleAttestation, sampleFlow } from '../support/service-samples.ts';

const key = `first0key_${'k'.repeat(43)}`;
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

// Each of these once kept more than the heap holds.
describe('a service with a heap of 256 MB', () => {
  let folder: string;
  let service: ServiceProcess;
  let issuers: LoopbackServer;
  let signingKey: SigningKey;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-memory-'));
    const words = ['--port', '0', '--data', folder, '--org', 'acme', '--key', key, '--allow-private-issuers'];
    service = await startServiceProcess(words, { NODE_OPTIONS: '--max-old-space-size=256' });
    signingKey = await createSigningKey('one');
    const publicKey = await exportJWK(signingKey.publicKey);
    // As large as a document may be, in the form that takes most memory.
    const keys = JSON.stringify({ keys: [{ ...publicKey, kid: 'one', x5c: numbers(20_000).map(() => ({})) }] });
    issuers = await serve((request, response) => {
      const [, name = '', file] = request.url?.split('/') ?? [];
      const issuer = `${issuers.url}/${name}`;
      response.end(file === 'keys' ? keys : JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
    });
  }, 60_000);
  afterAll(async () => {
    service.child.kill();
    await service.ended();
    await issuers.close();
    await rm(folder, { recursive: true });
  });

  const send = async (
    method: string,
    path: string,
    body?: Readonly<Record<string, unknown>> | FormData,
    sender = key,
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const isForm = body === undefined || body instanceof FormData;
    const response = await fetch(path.startsWith('http') ? path : `${service.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${sender}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const saveRule = (name: string, issuer: string, change = {}): Promise<unknown> =>
    send('PUT', `/organizations/acme/login-rules/${name}`, {
      ...{ issuer, repository: 'acme/web', repository_id: '123', refs: ['refs/heads/main'], events: ['push'] },
      ...{ role: 'member', ...change },
    });
  const token = (issuer: string): Promise<string> =>
    signToken(signingKey, { iss: issuer, aud: new URL(service.baseUrl).origin });

  it('judges by 500 versions of a policy with large patterns', async () => {
    await send('PUT', '/flows/acme', { ...sampleFlow() });
    expect((await send('POST', '/artifacts/acme/web', { ...sampleArtifact() })).status).toBe(201);
    const path = `/asserts/acme/fingerprint/${sampleArtifact().fingerprint}?policy_name=large`;
    for (const version of numbers(500)) {
      const conditions = numbers(5).map(
        () => `    - {type: generic, if: '\${{ matches(artifact.name, "(ab){240}") }}'}`,
      );
      const content = `_schema: https://example.com/v1\nartifacts:\n  attestations:\n${conditions.join('\n')}\n`;
      const form = policyForm({ name: 'large' }, { content: `${content}    - {type: 'custom:v${version}'}\n` });
      expect((await send('PUT', '/policies/acme', form)).status).toBeLessThan(300);
      expect(await send('GET', path)).toMatchObject({ status: 200 });
    }
  }, 120_000);

  it('asks 400 issuers for their keys', async () => {
    for (const index of numbers(400)) {
      await saveRule('changed', `${issuers.url}/${index}`);
      expect((await send('POST', '/login/acme', {}, await token(`${issuers.url}/${index}`))).status).toBe(201);
    }
    await send('DELETE', '/organizations/acme/login-rules/changed');
  }, 120_000);

  it('sends audit packages that are larger than the heap, to two clients at once', async () => {
    await send('PUT', '/flows/acme', { ...sampleFlow({ name: 'large' }) });
    // 200 documents of 900 kB, and 25 attachments of 9 MB that cannot be compressed.
    for (const index of numbers(200)) {
      const user_data = { text: randomBytes(450_000).toString('hex') };
      const file = index < 25 ? { content: randomBytes(9_000_000) } : undefined;
      const form = attestationForm(sampleAttestation('OK', { user_data }), file);
      const path = `/attestations/acme/large/trail/t${index % 10}/sonar`;
      expect((await send('POST', path, form)).status).toBe(201);
    }
    const download = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${service.baseUrl}/flows/acme/large/audit-package`, { headers });
      let bytes = 0;
      const count = (chunk: Uint8Array): void => {
        bytes += chunk.length;
      };
      await response.body?.pipeTo(new WritableStream({ write: count }));
      return bytes;
    };
    for (const bytes of await Promise.all([download(), download()])) expect(bytes).toBeGreaterThan(300_000_000);
    expect(service.child.exitCode).toBe(null);
  }, 240_000);

  it('logs 300 runs in by rules of one megabyte, lists their keys, and revokes them', async () => {
    const issuer = `${issuers.url}/large`;
    const names = (kind: string): readonly string[] => numbers(100).map((index) => `${kind}${index}`.padEnd(255, 'x'));
    const limits = { flows: names('f'), environments: names('e'), counts_for_environments: names('e') };
    for (const index of numbers(12)) await saveRule(`large-${index}`, issuer, limits);
    const bytesBefore = await measureFolder(folder);
    for (const index of numbers(300)) {
      const { status, text } = await send('POST', '/login/acme', {}, await token(issuer));
      expect([index, status]).toEqual([index, 201]);
      const { key: loginKey } = JSON.parse(text) as { readonly key: string };
      expect((await send('GET', '/flows/acme', undefined, loginKey)).status).toBe(403);
    }
    expect((await measureFolder(folder)) - bytesBefore).toBeLessThan(20_000_000);
    expect((await send('GET', '/organizations/acme/login-keys?per_page=100')).status).toBe(200);
    expect((await send('GET', new URL('/acme/administration', service.baseUrl).href)).status).toBe(200);
    for (const index of numbers(12)) {
      expect((await send('DELETE', `/organizations/acme/login-rules/large-${index}`)).status).toBe(200);
    }
    expect(service.child.exitCode).toBe(null);
  }, 120_000);
});

async function measureFolder(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
