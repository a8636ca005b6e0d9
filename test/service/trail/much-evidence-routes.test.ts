import { expect, it } from '@jest/globals';
import { startTestService } from '../../support/service.ts';
import { call, mappingOf } from '../../support/service-call.ts';
import { attest, fingerprintOf, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';
import { createTestStorage } from '../../support/test-storage.ts';

it('is not judged as a whole, so that a trail cannot keep the service from other work', async () => {
  const storage = await createTestStorage();
  const service = await startTestService({ storage });
  await saveFlow(service);
  await attest(service, sampleAttestation('OK'));
  const reportSome = async (from: number, to: number): Promise<void> => {
    for (let number = from; number < to; number += 1) {
      const fingerprint = fingerprintOf(String(number).padStart(2, '0'));
      expect((await report(service, { fingerprint, filename: `file-${number}` })).status).toBe(201);
    }
  };
  const read = async (): Promise<unknown> => {
    const { compliance_state: state, compliance_status: status } = mappingOf(
      await call(service, { path: '/trails/acme/web/main' }),
    );
    return [state, Object.keys((status as { artifacts_statuses: object }).artifacts_statuses).length];
  };
  await storage.query(
    `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 999)
      INSERT INTO current_evidence (org, flow, scope, sequence, name)
      SELECT org, flow, scope, sequence, 'copy-' || value FROM current_evidence, n`,
  );
  await reportSome(0, 20);
  expect(await read()).toEqual(['COMPLIANT', 20]);
  await reportSome(20, 21);
  expect(await read()).toEqual(['INCOMPLETE', 5]);
  await service.stop();
  await storage.remove();
});
