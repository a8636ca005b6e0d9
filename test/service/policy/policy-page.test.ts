import { expect, it } from '@jest/globals';
import { provenancePolicy, savePolicy } from '../../support/environment-samples.ts';
import { shareTestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';

const openOrganization = shareTestService();

it('downloads the texts of all versions, however long they are', async () => {
  const service = await openOrganization();
  const texts = ['1', '2', '3'].map((version) => `${provenancePolicy}# ${version.repeat(600_000)}\n`);
  for (const text of texts) await savePolicy(service, 'strict', text);
  const versions = texts.map((text, index) => ({ policy: 'strict', version: index + 1, text })).toReversed();
  for (const address of ['policies?download=policies.json', 'policies/strict?download=versions.json']) {
    const { body } = await call(service, { at: `${service.url}/${service.org}/${address}`, path: '' });
    expect(body).toMatchObject(versions);
  }
});
