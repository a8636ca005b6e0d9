import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseCheckpoint } from '../../../src/runtime/transparency-log/checkpoint.ts';
import { toTilePath } from '../../../src/runtime/transparency-log/tile-path.ts';
import { cacheTiles, findRoots, hashBytes, type ReadHashes } from '../../../src/runtime/transparency-log/tree.ts';
import { renderVerifierKey } from '../../../src/runtime/transparency-log/verifier-key.ts';
import { listAt, textAt } from '../../../src/runtime/untrusted-data.ts';
import { logVerifier } from '../../../tools/log-verifier/log-verifier.ts';
import { readPackage, type ZipContent } from '../../support/audit-package.ts';
import { pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import {
  attest,
  attestationForm,
  fingerprintOf,
  report,
  sampleAttestation,
  saveFlow,
} from '../../support/service-samples.ts';
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

  const keep = async (path: string, name = path.replaceAll(/\W/gu, '-')): Promise<string> => {
    const kept = join(folder, name);
    await writeFile(kept, (await call(service, { at: service.url, path: `/log/acme/${path}` })).text);
    return kept;
  };
  /** The hashes of the log, from its tiles. */
  const read: ReadHashes = async (level, from, to) => {
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const answer = await fetch(`${service.url}/log/acme/tile/${toTilePath({ level, from, to })}`, { headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return Array.from({ length: to - from }, (_, index) => bytes.subarray(index * hashBytes, (index + 1) * hashBytes));
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

  it('verifies checkpoints by either key, all entries and tiles, proofs, and that the log continues each that was kept', async () => {
    const kept = [await keep('checkpoint')];
    for (let round = 0; round < 8; round += 1) {
      const trails = Array.from({ length: 20 }, (_, index) => `t${round}-${index}`);
      await Promise.all(trails.map((trail) => attest(service, sampleAttestation('OK'), trail)));
      kept.push(await keep('checkpoint', `checkpoint-${round}`));
    }
    await report(service);
    const proofs = [
      await keep(`proof?fingerprint=${fingerprintOf('abcdef')}`),
      await keep('proof?index=0'),
      await keep('proof?index=256'),
    ];
    expect(await verify(...kept, ...proofs)).toBeGreaterThan(300);

    const notes = await Promise.all(kept.map((file) => readFile(file, 'utf8')));
    const heads = notes.flatMap((note) => parseCheckpoint(note) ?? []);
    for (const later of heads) {
      for (const earlier of heads.filter(({ size }) => size <= later.size)) {
        const roots = await findRoots(cacheTiles(read, later.size), earlier.size, later.size);
        expect(roots).toEqual({ earlier: earlier.root, later: later.root });
      }
    }
  });

  it('sees that a log was begun again', async () => {
    const kept = await keep('checkpoint');
    await service.stop();
    service = await startTestService({ options });
    await saveFlow(service, { description: 'Another history' });
    await attest(service, sampleAttestation('OK'));
    await expect(verify(kept)).rejects.toThrow(/malformed transparency proof|invalid transparency proof/u);
  });

  describe('with an audit package', () => {
    const check = async (key?: string): Promise<string> => {
      const [own = ''] = (await readFile(join(folder, 'verifier-key'), 'utf8')).split('\n');
      return (await promisify(execFile)(logVerifier, ['package', folder, key ?? own])).stdout;
    };
    const unpack = async (path: string): Promise<ZipContent> => {
      const files = await readPackage(service, `${path}/audit-package`);
      for (const [name, content] of files) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), content);
      }
      return files;
    };
    const firstOf = (files: ZipContent, start: string): string =>
      join(folder, [...files.keys()].find((name) => name.startsWith(start)) ?? '');
    beforeEach(async () => {
      const form = attestationForm(sampleAttestation('OK'), { content: 'a file' });
      await call(service, { method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form });
      await report(service);
    });

    it('verifies all records, also of environments and from before a rename', async () => {
      await savePolicy(service, 'strict');
      await saveEnvironment(service, 'prod', { policies: ['strict'] });
      await reportPods(service, 'prod', pod('web', { web: 'abcdef' }));
      await unpack('/flows/acme/web');
      expect(await check()).toBe('4\n');
      await rm(folder, { recursive: true });
      const path = '/environments/acme/prod/rename';
      await call(service, { method: 'PUT', path, json: { new_name: 'live' } });
      await unpack('/environments/acme/live');
      expect(await check()).toMatch(/^[6-9]\n$/u);
    });

    it('says once that a file is missing that an admin removed', async () => {
      const { body } = await call(service, { path: '/attestations/acme/web' });
      const path = `/attestations/acme/${textAt(listAt(body, 'data')[0], 'attestation_id') ?? ''}/attachment`;
      await call(service, { method: 'DELETE', path, json: { reason: 'A secret' } });
      await unpack('/trails/acme/web/main');
      expect(await check()).toMatch(/^entry \d+: attachments\/[0-9a-f]{64} is missing\n5\n$/u);
    });

    it('refuses an edited, a removed and an added record, a swapped attachment, and another key', async () => {
      const files = await unpack('/trails/acme/web/main');
      const record = firstOf(files, 'records/attestation/');
      const original = await readFile(record, 'utf8');
      await writeFile(record, original.replace('compliant', 'non-compliant'));
      await expect(check()).rejects.toThrow('the record is not what was recorded');
      await rm(record);
      await expect(check()).rejects.toThrow('no such file');
      await writeFile(record, original);
      const extra = join(folder, 'records/attestation/999.json');
      await writeFile(extra, original);
      await expect(check()).rejects.toThrow('there is no proof of it');
      await rm(extra);
      const attachment = firstOf(files, 'attachments/');
      await writeFile(attachment, 'b file');
      await expect(check()).rejects.toThrow('is not what was attached');
      await rm(attachment);
      expect(await check()).toMatch(/^entry \d+: attachments\/[0-9a-f]{64} is missing\n4\n$/u);
      const { privateKey } = generateKeyPairSync('ed25519');
      const [name = ''] = (await readFile(join(folder, 'verifier-key'), 'utf8')).split('+');
      await expect(check(renderVerifierKey(name, privateKey))).rejects.toThrow('note has no verifiable signatures');
    });
  });
});
