import { expect, it } from '@jest/globals';
import { listAt, textAt } from '../../../src/runtime/untrusted-data.ts';
import { shareTestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attest, sampleAttestation, saveFlow } from '../../support/service-samples.ts';

const openOrganization = shareTestService();

it('shows the latest of many events, which is the one that a link of the public client marks', async () => {
  const service = await openOrganization();
  await saveFlow(service);
  for (let index = 0; index < 90; index += 1) await attest(service, sampleAttestation('OK'));
  await attest(service, sampleAttestation('OK', { attestation_name: 'latest' }));
  const { body } = await call(service, { path: `/attestations/${service.org}/web?per_page=1` });
  const id = textAt(listAt(body, 'data')[0], 'attestation_id') ?? '';
  const at = `${service.url}/${service.org}/flows/web/trails/main?attestation_id=${id}`;
  const { text } = await call(service, { at, path: '' });
  expect(text).toMatch(/more are not shown here/u);
  expect(text).toMatch(/<strong class="mark">Attestation <a [^>]*>latest<\/a>/u);
});
