import { expect, it } from '@jest/globals';
import { textAt } from '../../../src/runtime/untrusted-data.ts';
import { pod, reportPods, saveEnvironment } from '../../support/environment-samples.ts';
import { shareTestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { attest, fingerprintOf, report, sampleAttestation, saveFlow } from '../../support/service-samples.ts';

const openOrganization = shareTestService();

it('says what it leaves out if an artifact runs in many environments and has much evidence', async () => {
  const service = await openOrganization();
  await saveFlow(service);
  await report(service);
  for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) {
    await saveEnvironment(service, name);
    await reportPods(service, name, pod('web', { web: 'abcdef' }));
  }
  for (let index = 0; index < 21; index += 1) await attest(service, sampleAttestation('OK'));
  const path = `/artifacts/${service.org}/web/fingerprint/${fingerprintOf('abcdef')}`;
  const { body } = await call(service, { path });
  const { text } = await call(service, { at: textAt(body, 'html_url') ?? '', path: '' });
  expect(text.match(/<h2>Policies of /gu)).toHaveLength(4);
  expect(text).toMatch(
    /not judged here by the policies of other environments that it runs in:(?:\s*<a [^>]*>\w+<\/a>){2}/u,
  );
  expect(text).toContain('At most the latest 20 are shown. The audit package has all.');
  const trail = await call(service, { at: `${service.url}/${service.org}/flows/web/trails/main`, path: '' });
  expect(trail.text).toContain('</a> and 1 more');
});
