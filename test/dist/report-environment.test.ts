import { beforeAll, expect, it } from '@jest/globals';
import { type ActionJob, jobForAllTests } from '../support/action-job.ts';
import { saveEnvironment } from '../support/environment-samples.ts';
import { digestOf, runningContainers } from '../support/pods.ts';
import { call } from '../support/service-call.ts';

const job = jobForAllTests();

beforeAll(async () => {
  for (const type of ['K8S', 'server', 'docker', 'ECS', 'lambda', 'S3', 'azure-apps', 'cloud-run'] as const) {
    await saveEnvironment(job.service, `of-${type}`, { type });
  }
  await job.workspace.write('running.json', JSON.stringify(runningContainers));
  await job.workspace.write('served/index.html', '<p>Hello</p>\n');
});

/** Reports to the environment of a kind, with a key that may only report. */
async function report(kind: string, inputs: Readonly<Record<string, string>>): ReturnType<ActionJob['step']> {
  const key = await job.service.createKey('snapshotter');
  return job.step({ operation: 'report-environment', environment: `of-${kind}`, 'api-token': key, ...inputs });
}

/** The names and fingerprints that run in the environment of a kind. */
async function running(kind: string): Promise<unknown> {
  const { body } = await call(job.service, { path: `/snapshots/${job.service.org}/of-${kind}/-1` });
  return body;
}

it.each(['server', 'docker', 'ECS', 'lambda', 'S3', 'azure-apps', 'cloud-run'])(
  'reports named artifacts to an environment of the type %s',
  async (kind) => {
    const step = await report(kind, { artifacts: `web@sha256:${digestOf('a')}\napi@sha256:${digestOf('b')}` });
    expect(step).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'done', state: 'changed' } });
    const artifacts = [
      { name: 'web', fingerprint: digestOf('a') },
      { name: 'api', fingerprint: digestOf('b') },
    ];
    expect(await running(kind)).toMatchObject({
      type: kind,
      artifacts: expect.arrayContaining(artifacts.map(containing)),
    });
  },
);

it('reports files, and what a command printed', async () => {
  const docker = await report('docker', { files: 'running.json' });
  expect(docker).toMatchObject({ exitCode: 0, outputs: { state: 'changed' } });
  expect(await running('docker')).toMatchObject({
    artifacts: [{ name: 'ghcr.io/acme/web:1', fingerprint: digestOf('a') }],
  });
  const server = await report('server', { files: 'served' });
  expect(server.summary).toContain('served');
  expect(await running('server')).toMatchObject({ artifacts: [{ name: 'served' }] });
  expect(await report('server', { files: 'served' })).toMatchObject({ outputs: { state: 'unchanged' } });
});

it('leaves clusters to `report-k8s`', async () => {
  const step = await report('K8S', { artifacts: `web@sha256:${digestOf('a')}` });
  expect(step).toMatchObject({ exitCode: 1, outputs: { outcome: 'error' } });
  expect(step.log).toContain('environment of-K8S is of the type K8S, which `report-environment` does not report');
});

function containing(artifact: object): unknown {
  return expect.objectContaining(artifact);
}
