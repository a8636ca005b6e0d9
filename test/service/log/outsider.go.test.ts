import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { logVerifier } from '../../../tools/log-verifier/log-verifier.ts';
import { call } from '../../support/service-call.ts';
import { attest, report, fingerprintOf, sampleAttestation, saveFlow } from '../../support/service-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { sampleSigningKeys } from '../../support/signing-keys.ts';

/** A public address, so that both services sign for the same log. */
const options = { signingKeys: sampleSigningKeys, publicUrl: 'https://compliance.example.com' };

describe('an outsider with the libraries of Go', () => {
  let folder: string;
  let service: TestService;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-outsider-'));
    service = await startTestService({ options });
    await saveFlow(service);
  });
  afterEach(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  const keep = async (path: string): Promise<string> => {
    const kept = join(folder, path.replaceAll(/\W/gu, '-'));
    await writeFile(kept, (await call(service, { at: service.url, path: `/log/acme/${path}` })).text);
    return kept;
  };
  const verify = async (...files: readonly string[]): Promise<number> => {
    const keys = (await call(service, { at: service.url, path: '/log/acme/verifier-key' })).text.trim().split('\n');
    const sizes = keys.map(async (key) => {
      const { stdout } = await promisify(execFile)(logVerifier, [
        `${service.url}/log/acme`,
        service.apiKey,
        key,
        ...files,
      ]);
      return Number(stdout);
    });
    const [size = 0, other] = await Promise.all(sizes);
    expect(other).toBe(size);
    return size;
  };

  it('verifies checkpoints by either key, all entries and tiles, proofs, and that the log continues what was kept', async () => {
    const first = await keep('checkpoint');
    for (let round = 0; round < 8; round += 1) {
      const trails = Array.from({ length: 20 }, (_, index) => `t${round}-${index}`);
      await Promise.all(trails.map((trail) => attest(service, sampleAttestation('OK'), trail)));
    }
    await report(service);
    const proofs = [
      await keep(`proof?fingerprint=${fingerprintOf('abcdef')}`),
      await keep('proof?index=0'),
      await keep('proof?index=256'),
    ];
    expect(await verify(first, ...proofs)).toBeGreaterThan(300);
  });

  it('sees that a log was begun again', async () => {
    const kept = await keep('checkpoint');
    await service.stop();
    service = await startTestService({ options });
    await saveFlow(service, { description: 'Another history' });
    await attest(service, sampleAttestation('OK'));
    await expect(verify(kept)).rejects.toThrow(/malformed transparency proof|invalid transparency proof/u);
  });
});
