import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { refusal, startFakeS3 } from '../../support/fake-s3.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm, sampleAttestation, saveFlow } from '../../support/service-samples.ts';
import { sampleSigningKeys } from '../../support/signing-keys.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';
import { runLog } from '../../support/verify-log.ts';

describe('the command verify, with PostgreSQL', () => {
  let folder: string;
  let storage: TestStorage;
  let service: TestService;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compliance-log-'));
    storage = await createTestStorage();
    service = await startTestService({ storage, options: { signingKeys: sampleSigningKeys } });
    await saveFlow(service);
    const form = attestationForm(sampleAttestation('ERROR'), { content: 'a file' });
    await call(service, { method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form });
    const checkpoint = await call(service, { at: service.url, path: '/log/acme/checkpoint' });
    await writeFile(join(folder, 'checkpoint'), checkpoint.text);
  });
  afterEach(async () => {
    await service.stop();
    await storage.remove();
    await rm(folder, { recursive: true });
  });

  const verify = async (): Promise<readonly string[]> => {
    const url = storage.options.database?.url ?? '';
    const lines = await runLog(['verify', '--database', url, '--checkpoint', join(folder, 'checkpoint')]);
    return lines.filter((line) => !/^the signatures|^acme: \d+ entries/u.test(line));
  };

  it('finds nothing wrong while a service is running, and names what is altered', async () => {
    expect(await verify()).toEqual(['nothing is altered, missing or extra']);
    await storage.query("UPDATE attestations SET verdict = 'compliant'");
    await storage.query("UPDATE attachment_chunks SET bytes = 'b file'");
    await storage.query(
      "INSERT INTO trails (org, flow, name, created_at, report) VALUES ('acme', 'web', 'extra', 1, '{}')",
    );
    expect(await verify()).toEqual([
      'acme: extra: trail extra of flow web is not in the log',
      expect.stringMatching(/^acme: altered: attestation \S+ of flow web is not what was recorded$/u),
      expect.stringMatching(/^acme: altered: the attachment of attestation \S+ of flow web, with the SHA-256 /u),
      expect.stringMatching(/^problems found: 3;/u),
    ]);
  });

  it('names the object storage if that cannot be read, and writes nothing to it', async () => {
    const server = await startFakeS3();
    server.failNext(refusal(403, 'AccessDenied'));
    const words = ['verify', '--database', storage.options.database?.url ?? ''];
    const lines = await runLog([...words, '--attachments', `s3://evidence?endpoint=${server.url}`], {
      AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'the-secret',
    });
    await server.close();
    expect(lines).toEqual([
      expect.stringMatching(
        /^the attachments in s3:\/\/evidence cannot be used: the object storage refuses access: GET /u,
      ),
    ]);
    expect(server.calls.map(({ method }) => method)).toEqual(['GET']);
  });
});
