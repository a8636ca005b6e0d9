import { expect, it } from '@jest/globals';
import { readAgain, readAnswers } from '../support/all-answers.ts';
import { saveEnvironment } from '../support/environment-samples.ts';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { fillOrganization, recordEvidence, recordSnapshots } from '../support/filled-folder.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../support/service.ts';
import { call } from '../support/service-call.ts';
import { saveFlow } from '../support/service-samples.ts';
import { sampleSigningKeys } from '../support/signing-keys.ts';

/** Sends all requests that record something under a name again, under another name. */
async function repeatAs(service: TestService, name: string, other: string): Promise<void> {
  const segment = new RegExp(`/${name}(?=/|$)`, 'u');
  for (const { endpoint, request } of everyEndpoint) {
    const { path, ...sent } = request(service.org);
    if (endpoint.method === 'GET' || !segment.test(path)) continue;
    await call(service, { ...sent, path: path.replace(segment, `/${other}`) });
  }
}

it('changes no answer if another organization, flow or environment has records with the same names', async () => {
  const now = Date.now();
  const options = { allowPrivateIssuers: true, signingKeys: sampleSigningKeys };
  const service = await startTestService({ options, sources: { now: () => now } });
  await fillOrganization(service);
  const answers = await readAnswers(service, { [service.org]: service.apiKey });
  const expectSame = async (paths: RegExp, change: () => Promise<void>): Promise<void> => {
    // Pages with several filters show the same parts as those with one.
    const own = new Map([...answers].filter(([path]) => paths.test(path) && !path.includes('&')));
    const before = Object.fromEntries(await readAgain(service, own));
    await change();
    expect(Object.fromEntries(await readAgain(service, own))).toEqual(before);
  };

  await expectSame(/./u, async () => {
    await fillOrganization({ ...service, org: 'other', apiKey: await service.createOrganization('other') });
  });
  await expectSame(/^[^?]*acme\/(?:flows\/)?web(?:[/?]|$)|flow(?:_name)?=web$/u, async () => {
    await saveFlow(service, { name: 'api' });
    await repeatAs(service, 'web', 'api');
    await recordEvidence(service, 'api');
  });
  await expectSame(/^[^?]*acme\/(?:environments\/)?stage(?:[/?]|$)/u, async () => {
    await saveEnvironment(service, 'test');
    await repeatAs(service, 'prod', 'test');
    await recordSnapshots(service, 'test');
  });
  await stopWithoutErrors(service);
});
