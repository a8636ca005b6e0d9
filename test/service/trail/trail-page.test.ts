import { expect, it } from '@jest/globals';
import { maximumPageBytes } from '../../../src/contract/limits.ts';
import { listAt, textAt } from '../../../src/runtime/untrusted-data.ts';
import { shareTestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attest, attestationForm, sampleAttestation, saveFlow } from '../../support/service-samples.ts';

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

it('shows who approved the pull request, however large the evidence after it is', async () => {
  const service = await openOrganization();
  await saveFlow(service);
  const url = 'https://github.com/acme/web/pull/1';
  const pull = { url, merge_commit: '', state: 'MERGED', approvers: [{ username: 'ann' }], commits: [] };
  const document = { attestation_name: 'pull-request', git_provider: 'github', pull_requests: [pull] };
  const path = `/attestations/${service.org}/web/trail/main/pull_request`;
  await call(service, { method: 'POST', path, form: attestationForm(document) });
  await attest(service, sampleAttestation('OK'));
  const large = JSON.stringify(sampleAttestation('OK', { user_data: { text: 'x'.repeat(maximumPageBytes) } }));
  const enlarge = "UPDATE attestations SET document = $1 WHERE org = $2 AND type = 'sonar'";
  await service.storage.query(enlarge, [large, service.org]);
  const { text } = await call(service, { at: `${service.url}/${service.org}/flows/web/trails/main`, path: '' });
  expect(text).toMatch(/pull\/1<\/a> \(MERGED, approved by ann\)/u);
});
