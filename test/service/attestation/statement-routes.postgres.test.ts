import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { textAt } from '../../../src/runtime/untrusted-data.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { attest, sampleAttestation, saveFlow } from '../../support/service-samples.ts';
import { createTestStorage, type TestStorage } from '../../support/test-storage.ts';

describe('the statement of an attestation, with PostgreSQL', () => {
  let storage: TestStorage;
  let service: TestService;
  beforeEach(async () => {
    storage = await createTestStorage();
    service = await startTestService({ storage });
  });
  afterEach(async () => {
    await service.stop();
    await storage.remove();
  });

  it('needs a key that the operator sets', async () => {
    await saveFlow(service);
    await attest(service, sampleAttestation('OK'));
    const [row] = await storage.query('SELECT id FROM attestations');
    const id = textAt(row, 'id') ?? '';
    const get = (path: string, at = service.url): Promise<Called> => call(service, { at, path });
    expect(await get(`/attestations/acme/${id}/statement`, service.baseUrl)).toMatchObject({ status: 503 });
    const page = `/acme/flows/web/trails/main/attestations/${id}`;
    expect((await get(page)).text).not.toContain('/statement"');
  });
});
