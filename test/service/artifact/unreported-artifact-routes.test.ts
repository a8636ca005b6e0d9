import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm, fingerprintOf, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';

describe('an attestation for an artifact', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
    await saveFlow(service);
  });
  afterEach(() => stopWithoutErrors(service));

  it.each([
    ['was not reported', 'bbbbb', 'main'],
    ['was reported to another trail', 'aaaaa', 'elsewhere'],
  ])('that %s is rejected, and keeps nothing', async (_what, digits, trail) => {
    await report(service, { fingerprint: fingerprintOf('aaaaa') });
    const fingerprint = fingerprintOf(digits);
    const form = attestationForm(sampleAttestation('OK', { artifact_fingerprint: fingerprint }), { content: 'a file' });
    const sent = await call(service, { method: 'POST', path: `/attestations/acme/web/trail/${trail}/sonar`, form });
    const where = `trail "${trail}" of flow "web" belonging to organization "acme"`;
    expect(sent).toMatchObject({
      status: 404,
      body: { message: `Artifact with fingerprint ${fingerprint} does not exist in ${where}` },
    });
    expect(await service.storage.listAttachments()).toEqual([]);
  });
});
