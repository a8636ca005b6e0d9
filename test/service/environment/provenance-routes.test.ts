import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EnvironmentPayload } from '../../../src/contract/environment.ts';
import { listVerdicts, pod, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { fingerprintOf, report, saveFlow } from '../../support/service-samples.ts';

let service: TestService;
const openOrganization = shareTestService();
beforeEach(async () => {
  service = await openOrganization();
  await saveFlow(service);
});

const save = (change: Partial<EnvironmentPayload>, name = 'prod', key?: string): Promise<Called> =>
  saveEnvironment(service, name, change, key);
const required = async (name = 'prod'): Promise<unknown> => {
  const { body } = await call(service, { path: `/environments/${service.org}/${name}` });
  return (body as { require_provenance: unknown }).require_provenance;
};
const reportFirst = (): Promise<Called> => reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
const pageOf = async (path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  return (await fetch(`${service.url}${path}`, { headers })).text();
};

describe('an environment with `require_provenance: true`', () => {
  it('is judged as if a policy required provenance, besides its own', async () => {
    await savePolicy(service, 'tolerant', '_schema: https://example.com/v1\n');
    expect(await save({ require_provenance: true, policies: ['tolerant'] })).toMatchObject({ status: 201, body: 'OK' });
    await reportFirst();
    expect(await listVerdicts(service, 'prod')).toEqual([false]);
    expect(await pageOf(`/${service.org}/environments/prod`)).toContain(
      'provenance (deprecated; attach a policy instead)',
    );
    const page = await pageOf(`/${service.org}/environments/prod/1`);
    for (const shown of ['not reported to any flow', '>require_provenance: true</td>']) {
      expect(page).toContain(shown);
    }
    await report(service);
    expect(await listVerdicts(service, 'prod')).toEqual([false, true]);
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }), pod('job-1', { job: 'bbbbb' }));
    expect(await listVerdicts(service, 'prod')).toEqual([false, true, false]);
  });

  it('stays so until an update sets it to false', async () => {
    await save({});
    await reportFirst();
    await save({ require_provenance: true });
    await save({ description: 'left out' });
    expect(await required()).toBe(true);
    await save({ require_provenance: true });
    await save({ require_provenance: false });
    expect(await required()).toBe(false);
    await save({ require_provenance: false });
    expect(await listVerdicts(service, 'prod')).toEqual(['not judged', false, 'not judged']);
  });

  it('decides the assertion of an artifact, also as a member of a logical environment', async () => {
    await save({ require_provenance: true });
    await save({ type: 'logical', included_environments: ['prod'] }, 'all');
    await report(service);
    for (const environment of ['prod', 'all']) {
      const path = `/asserts/${service.org}/fingerprint/${fingerprintOf('abcdef')}?environment_name=${environment}`;
      expect(await call(service, { path })).toMatchObject({
        status: 200,
        body: {
          compliant: true,
          policy_evaluations: [
            {
              policy_name: 'require_provenance: true',
              status: 'COMPLIANT',
              rule_evaluations: [{ rule: { definition: { name: 'provenance' } }, satisfied: true }],
            },
          ],
        },
      });
    }
    await reportPods(service, 'prod', pod('job-1', { job: 'bbbbb' }));
    expect(await listVerdicts(service, 'all')).toEqual([false]);
  });

  it.each([
    [{ require_provenance: true }, '@1767225600'],
    [{ include_scaling: true }, '@1767225600'],
    [{ require_provenance: false, include_scaling: false }, null],
    [{}, null],
  ])('is announced as deprecated: %j', async (change, header) => {
    expect((await save(change)).headers.get('deprecation')).toBe(header);
  });

  it('cannot be made or changed by a role that may only report', async () => {
    const key = await service.createKey('snapshotter');
    expect(await save({ require_provenance: true }, 'prod', key)).toMatchObject({
      status: 403,
      body: { errors: { require_provenance: 'can only be set by admins and members' } },
    });
    await save({ require_provenance: true });
    // Older public clients always send it.
    expect(await save({ require_provenance: false }, 'prod', key)).toMatchObject({ status: 201 });
    expect(await required()).toBe(true);
  });
});
