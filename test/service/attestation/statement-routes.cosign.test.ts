import { execFile } from 'node:child_process';
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listAt, textAt } from '../../../src/runtime/untrusted-data.ts';
import { cosign } from '../../../tools/cosign/cosign.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm, commitOf, report, saveFlow } from '../../support/service-samples.ts';
import { sampleSigningKeys } from '../../support/signing-keys.ts';

const [currentKey, formerKey] = sampleSigningKeys as [KeyObject, KeyObject];
const artifact = 'the artifact';
const fingerprint = createHash('sha256').update(artifact).digest('hex');

describe('the statement of an attestation, with cosign', () => {
  let folder: string;
  let service: TestService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-cosign-'));
    service = await startTestService({ options: { signingKeys: sampleSigningKeys } });
    await saveFlow(service);
    await report(service, { fingerprint });
    for (const [name, key] of Object.entries({ current: currentKey, former: formerKey })) {
      await writeFile(join(folder, name), createPublicKey(key).export({ type: 'spki', format: 'pem' }));
    }
    await writeFile(join(folder, 'web.tar'), artifact);
    await writeFile(join(folder, 'other.tar'), 'another artifact');
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  /** Records evidence, and keeps its statement. */
  const keepStatement = async (kind: string, document: object): Promise<void> => {
    const form = attestationForm({ attestation_name: 'unit', ...document });
    await call(service, { method: 'POST', path: `/attestations/acme/web/trail/main/${kind}`, form });
    const { body } = await call(service, { path: '/attestations/acme/web?per_page=1' });
    const id = textAt(listAt(body, 'data')[0], 'attestation_id') ?? '';
    const { text } = await call(service, { path: `/attestations/acme/${id}/statement` });
    await writeFile(join(folder, 'statement.json'), text);
  };
  /** Without a network: it knows no other proxy than one that refuses. */
  const verify = async (type: string, about: readonly string[], key = 'current'): Promise<string> => {
    const words = ['verify-blob-attestation', '--key', key, '--insecure-ignore-tlog', '--bundle', 'statement.json'];
    const env = { HOME: folder, HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' };
    const run = promisify(execFile)(cosign.program, [...words, '--type', type, ...about], { cwd: folder, env });
    return (await run).stderr;
  };

  it('is verified offline, and refused with another key or another artifact', async () => {
    await keepStatement('generic', { artifact_fingerprint: fingerprint });
    const type = `${service.url}/-/attestation/v1`;
    expect(await verify(type, ['web.tar'])).toContain('Verified OK');
    expect(await verify(type, ['--digest', fingerprint, '--digestAlg', 'sha256'])).toContain('Verified OK');
    await expect(verify(type, ['web.tar'], 'former')).rejects.toThrow('could not verify');
    await expect(verify(type, ['other.tar'])).rejects.toThrow('digest');
    await expect(verify('https://other.example.com', ['web.tar'])).rejects.toThrow('invalid predicate type');
  });

  it('about a commit is verified by the commit', async () => {
    const suite = { name: 'a', total: 1, failures: 0, errors: 0, skipped: 0, duration: 1 };
    await keepStatement('junit', { git_commit_info: { sha1: commitOf('1') }, junit_results: [suite] });
    const type = 'https://in-toto.io/attestation/test-result/v0.1';
    expect(await verify(type, ['--digest', commitOf('1'), '--digestAlg', 'gitCommit'])).toContain('Verified OK');
    await expect(verify(type, ['--digest', commitOf('2'), '--digestAlg', 'gitCommit'])).rejects.toThrow('digest');
  });
});
