import { afterEach, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { jsonOf, readPackage } from '../../support/audit-package.ts';
import { pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attestationForm, fingerprintOf, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';
import { sampleSigningKeys } from '../../support/signing-keys.ts';

const packages = [
  '/trails/acme/web/main',
  '/flows/acme/web',
  '/environments/acme/prod',
  `/artifacts/acme/web/fingerprint/${fingerprintOf('abcdef')}`,
];

describe('audit packages with PostgreSQL', () => {
  let service: TestService;
  afterEach(() => service.stop());
  const start = async (options = {}): Promise<void> => {
    service = await startTestService({ options });
    await saveFlow(service);
    const form = attestationForm(sampleAttestation('OK'), { content: 'a file' });
    await call(service, { method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form });
    await report(service);
    await savePolicy(service, 'strict');
    await saveEnvironment(service, 'prod', { policies: ['strict'] });
    await reportPods(service, 'prod', pod('web', { web: 'abcdef' }));
  };

  it('have records, proofs and verdicts', async () => {
    await start({ signingKeys: sampleSigningKeys });
    const counts = { flow: 1, trail: 1, artifact: 1, attestation: 1 };
    const policies = { policy: 1, 'policy version': 1, 'policy event': 2, 'policy attachment': 1 };
    const expected = [
      counts,
      counts,
      { environment: 1, 'environment report': 1, ...policies },
      { ...counts, ...policies },
    ];
    for (const [index, path] of packages.entries()) {
      const about = jsonOf(await readPackage(service, `${path}/audit-package`), 'about.json');
      expect(about).toMatchObject({ records: expected[index], problems: [] });
    }
  });

  it('need a signing key', async () => {
    await start();
    for (const path of packages) {
      const { status, body } = await call(service, { path: `${path}/audit-package` });
      expect([status, valueAt(body, 'message')]).toEqual([503, expect.stringContaining('has no signing key')]);
    }
  });
});
