import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  changePolicies,
  listVerdicts,
  pod,
  reportPods,
  saveEnvironment,
  savePolicy,
} from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';

let service: TestService;
const openOrganization = shareTestService();
beforeEach(async () => {
  service = await openOrganization();
});

describe('operations 4 and 5, attach and detach policies', () => {
  beforeEach(async () => {
    await saveEnvironment(service, 'prod');
    await savePolicy(service, 'provenance');
  });

  it('judge again and create a snapshot', async () => {
    await reportPods(service, 'prod', pod('web-1', { web: 'aaaaa' }));
    expect(await changePolicies(service, 'POST', 'prod', ['provenance'])).toMatchObject({ status: 201, body: 'OK' });
    expect(await changePolicies(service, 'POST', 'prod', ['provenance'])).toMatchObject({ status: 201 });
    await saveEnvironment(service, 'stage', { policies: ['provenance'] });
    expect(await changePolicies(service, 'DELETE', 'prod', ['provenance'])).toMatchObject({ status: 200, body: 'OK' });
    expect(await listVerdicts(service, 'prod')).toEqual(['not judged', false, 'not judged']);
    expect(await call(service, { path: `/environments/${service.org}/stage` })).toMatchObject({
      body: { policies: ['provenance'] },
    });
  });

  it('judge by the latest versions of these policies only', async () => {
    await savePolicy(service, 'tolerant', '_schema: https://example.com/schemas/policy/environment/v1\n');
    await reportPods(service, 'prod', pod('web-1', { web: 'aaaaa' }));
    await changePolicies(service, 'POST', 'prod', ['tolerant']);
    await savePolicy(service, 'tolerant');
    expect(await listVerdicts(service, 'prod')).toEqual(['not judged', true, false]);
  });

  it('create no snapshot without a report', async () => {
    await changePolicies(service, 'POST', 'prod', ['provenance']);
    expect(await listVerdicts(service, 'prod')).toEqual([]);
    await reportPods(service, 'prod');
    expect(await listVerdicts(service, 'prod')).toEqual([true]);
  });

  it.each(['POST', 'DELETE'] as const)('%s knows what does not exist, and then changes nothing', async (method) => {
    await changePolicies(service, 'POST', 'prod', ['provenance']);
    await reportPods(service, 'prod');
    const missing = (errors: object): object => ({
      status: 404,
      body: { message: 'Environment or policy not found', errors },
    });
    const noEnvironment = {
      'path.env_name': `Environment named 'stage' does not exist for organization '${service.org}'`,
    };
    const noPolicies = { policy_names: `Policies 'other', 'third' do not exist in organization '${service.org}'` };
    expect(await changePolicies(service, method, 'stage', ['provenance'])).toMatchObject(missing(noEnvironment));
    const some = ['other', 'provenance', 'third', 'other'];
    expect(await changePolicies(service, method, 'prod', some)).toMatchObject(missing(noPolicies));
    expect(await changePolicies(service, method, 'stage', some)).toMatchObject(
      missing({ ...noEnvironment, ...noPolicies }),
    );
    expect(await listVerdicts(service, 'prod')).toEqual([true]);
  });

  it('is done if it is done already', async () => {
    await savePolicy(service, 'strict');
    await reportPods(service, 'prod');
    await changePolicies(service, 'POST', 'prod', ['strict']);
    for (const policies of [['provenance', 'strict'], ['provenance', 'strict'], ['strict']]) {
      expect(await changePolicies(service, 'DELETE', 'prod', policies)).toMatchObject({ status: 200, body: 'OK' });
    }
    expect(await listVerdicts(service, 'prod')).toEqual(['not judged', true, 'not judged']);
  });

  it.each(['snapshotter', 'reader'] as const)('are not for a %s', async (role) => {
    const key = await service.createKey(role);
    expect(await changePolicies(service, 'POST', 'prod', ['provenance'], key)).toMatchObject({
      status: 403,
      body: { message: "You don't have permission to access this resource" },
    });
    expect(await changePolicies(service, 'DELETE', 'prod', ['provenance'], key)).toMatchObject({
      status: 403,
      body: { message: 'User does not have permission to detach policy' },
    });
  });

  it.each([[{ policy_names: [] }], [{}], [{ policy_names: ['a b'] }]])('reject %j', async (json) => {
    for (const method of ['POST', 'DELETE']) {
      expect((await call(service, { method, path: `/environments/${service.org}/prod/policies`, json })).status).toBe(
        400,
      );
    }
  });
});
