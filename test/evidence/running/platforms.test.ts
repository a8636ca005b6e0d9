import { describe, expect, it } from '@jest/globals';
import { gather, gatherDocuments } from '../../support/gather-running.ts';
import { digestOf } from '../../support/pods.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

const [one, other] = [digestOf('a'), digestOf('b')];
const startedAt = 1_700_000_000;
const iso = '2023-11-14T22:13:20';
const container = (name: string, image: string, imageId: string, state = 'running') => ({
  Id: name,
  Created: `${iso}.123456789Z`,
  State: { Status: state, Running: state === 'running' },
  Image: imageId,
  Name: `/${name}`,
  Config: { Image: image },
});
const image = (Id: string, ...RepoDigests: readonly string[]) => ({ Id, RepoTags: [], RepoDigests });

describe('containers of Docker', () => {
  it('have the digests of their images in the registry', async () => {
    const pinned = `quay.io/acme/pinned@sha256:${other}`;
    const documents = [
      [
        container('web', 'nginx:1.27', 'sha256:1'),
        container('moved', 'ghcr.io/acme/web:1', 'sha256:2'),
        container('pinned', pinned, 'sha256:3'),
        container('own', 'built-here', 'sha256:4'),
        container('foreign', 'foreign:1', 'sha256:2'),
        container('gone', 'gone:1', 'sha256:5'),
        container('stopped', 'nginx:1.27', 'sha256:1', 'exited'),
      ],
      [
        image('sha256:1', `nginx@sha256:${one}`),
        image('sha256:2', `docker.io/library/web@sha256:${other}`, `ghcr.io/acme/web@sha256:${one}`),
        image('sha256:3'),
        { Id: 'sha256:4', RepoDigests: null },
      ],
    ];
    await expect(gatherDocuments(workspace, 'docker', ...documents)).resolves.toEqual({
      artifacts: [
        { digests: { 'nginx:1.27': one }, creationTimestamp: startedAt },
        { digests: { 'ghcr.io/acme/web:1': one }, creationTimestamp: startedAt },
        { digests: { [pinned]: other }, creationTimestamp: startedAt },
      ],
      notRunning: { exited: 1 },
      withoutDigest: ['own', 'foreign', 'gone'],
    });
    // `docker inspect` prints containers and images as one list, too.
    await expect(gatherDocuments(workspace, 'docker', documents.flat())).resolves.toMatchObject({
      notRunning: { exited: 1 },
    });
  });

  it.each([
    [[container('web', 'web:1', 'sha256:1')], '1 containers and no image; only the images have digests'],
    [{ Containers: [] }, 'running-0.json: the document must be a list, and is an object'],
    [[{}], 'running-0.json: [0].Id must be a text, and is missing'],
    [[{ State: {} }, image('sha256:1')], '[0].State.Status must be a text, and is missing'],
    [[{ Id: 'a', RepoDigests: 'web' }], '[0].RepoDigests must be a list, and is "web"'],
  ])('are refused in %j', async (document, message) => {
    await expect(gatherDocuments(workspace, 'docker', document)).rejects.toThrow(message);
  });
});

describe('tasks of ECS', () => {
  const task = (change: object) => ({
    taskArn: 'arn:aws:ecs:eu-west-1:1:task/main/0b69d5c0',
    clusterArn: 'arn:aws:ecs:eu-west-1:1:cluster/main',
    group: 'service:web',
    lastStatus: 'RUNNING',
    startedAt: `${iso}.926000+00:00`,
    containers: [{ name: 'web', image: 'web:1', imageDigest: `sha256:${one}`, lastStatus: 'RUNNING' }],
    ...change,
  });

  it('are reported with their cluster and service', async () => {
    const [named, pinned] = [
      { name: 'pulling', image: 'side:1' },
      { name: 'pinned', image: `side@sha256:${other}` },
    ];
    const first = {
      tasks: [
        task({}),
        task({ lastStatus: 'PENDING' }),
        task({ lastStatus: 'STOPPED' }),
        task({ lastStatus: 'STOPPED' }),
      ],
      failures: [{ arn: 'arn/1', reason: 'MISSING' }],
    };
    const second = {
      tasks: [
        task({ taskArn: 'arn/2', group: 'family:job', startedAt: 1_700_000_000.926, containers: [named, pinned] }),
        task({ taskArn: 'arn/3', containers: [named] }),
      ],
    };
    await expect(gatherDocuments(workspace, 'ECS', first, second)).resolves.toEqual({
      artifacts: [
        {
          taskArn: 'arn:aws:ecs:eu-west-1:1:task/main/0b69d5c0',
          cluster_name: 'main',
          service_name: 'web',
          digests: { 'web:1': one },
          creationTimestamp: startedAt,
        },
        {
          taskArn: 'arn/2',
          cluster_name: 'main',
          digests: { [`side@sha256:${other}`]: other },
          creationTimestamp: startedAt,
        },
      ],
      notRunning: { PENDING: 1, STOPPED: 2 },
      withoutDigest: ['2/pulling', '3/pulling'],
    });
  });

  it.each([
    [{ taskArns: [] }, 'running-0.json: tasks must be a list, and is missing'],
    [{ tasks: [], failures: [{ reason: 'MISSING' }] }, 'failures must be empty if there are no tasks, and is a list'],
    [{ tasks: [{}] }, 'tasks[0].lastStatus must be a text, and is missing'],
    [{ tasks: [task({ startedAt: 'soon' })] }, 'tasks[0].startedAt must be a time'],
    [{ tasks: [task({ containers: null })] }, 'tasks[0].containers must be a list, and is missing'],
  ])('are refused in %j', async (document, message) => {
    await expect(gatherDocuments(workspace, 'ECS', document)).rejects.toThrow(message);
  });
});

describe('functions of Lambda', () => {
  const one64 = Buffer.from(one, 'hex').toString('base64');
  const packaged = { FunctionName: 'web', PackageType: 'Zip', CodeSha256: one64, LastModified: `${iso}.123+0000` };

  it('have a digest in base64 if they are packages, and in hex digits if they are images', async () => {
    const asImage = { ...packaged, FunctionName: 'api', PackageType: 'Image', CodeSha256: other };
    const [web, api] = [{ web: one }, { api: other }].map((digests) => ({ digests, creationTimestamp: startedAt }));
    const found = await gatherDocuments(workspace, 'lambda', { Functions: [packaged, asImage] });
    expect(found).toEqual({ artifacts: [web, api], notRunning: {}, withoutDigest: [] });
    expect((await gatherDocuments(workspace, 'lambda', asImage, { Functions: [packaged] })).artifacts).toEqual([
      api,
      web,
    ]);
  });

  it.each([
    [{}, 'running-0.json: Functions must be a list, and is missing'],
    [[], 'the document must be an object, and is a list'],
    [{ ...packaged, CodeSha256: 'AAAA' }, 'CodeSha256 must be a SHA-256 in base64, and is "AAAA"'],
    [{ ...packaged, CodeSha256: `${one64} ` }, 'CodeSha256 must be a SHA-256 in base64'],
    [{ ...packaged, LastModified: 'yesterday' }, 'LastModified must be a time'],
  ])('are refused in %j', async (document, message) => {
    await expect(gatherDocuments(workspace, 'lambda', document)).rejects.toThrow(message);
  });

  it.each(['NextToken', 'NextMarker'])('are refused if no file has the end of the list (%s)', async (key) => {
    const part = { Functions: [packaged], [key]: 'eyJNYXJrZXIi' };
    for (const parts of [[part], [part, part], [part, packaged]]) {
      await expect(gatherDocuments(workspace, 'lambda', ...parts)).rejects.toThrow(
        `running-0.json: ${key} must be absent, because a report needs the whole list`,
      );
    }
    const end = { Functions: [packaged], NextMarker: null };
    for (const parts of [[end], [part, end], [end, part]]) {
      expect((await gatherDocuments(workspace, 'lambda', ...parts)).artifacts).toHaveLength(parts.length);
    }
  });
});

describe('apps of Azure', () => {
  const app = (name: string, linuxFxVersion: string | null, state = 'Running') => ({
    ...{ name, kind: 'app,linux,container', state, lastModifiedTimeUtc: `${iso}.926666` },
    siteConfig: { linuxFxVersion, alwaysOn: false },
  });

  it('have a digest if they were deployed by it', async () => {
    const pinned = `acme.azurecr.io/web@sha256:${one}`;
    const apps = [
      app('web', `DOCKER|${pinned}`),
      app('api', 'DOCKER|acme.azurecr.io/api:1'),
      app('off', '', 'Stopped'),
    ];
    await expect(gatherDocuments(workspace, 'azure-apps', [...apps, app('plain', null)])).resolves.toEqual({
      artifacts: [
        {
          ...{ app_name: 'web', app_kind: 'app,linux,container', digests: { [pinned]: one } },
          creationTimestamp: startedAt,
        },
      ],
      notRunning: { Stopped: 1 },
      withoutDigest: ['api (DOCKER|acme.azurecr.io/api:1)', 'plain'],
    });
    expect((await gatherDocuments(workspace, 'azure-apps', apps[0])).artifacts).toHaveLength(1);
  });

  it.each([
    [[{ state: 'Running' }], '[0].name must be a text, and is missing'],
    [[{ name: 'web', state: 'Running' }], '[0].siteConfig must be an object, and is missing'],
    ['web', 'the document must be an object, and is "web"'],
  ])('are refused in %j', async (document, message) => {
    await expect(gatherDocuments(workspace, 'azure-apps', document)).rejects.toThrow(message);
  });
});

describe('revisions and jobs of Cloud Run', () => {
  const revision = (name: string, containers: readonly object[], status: object) => ({
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Revision',
    metadata: {
      ...{ name, namespace: '1', creationTimestamp: `${iso}.123456Z` },
      labels: { 'serving.knative.dev/service': 'web' },
    },
    spec: { containers },
    status,
  });
  const active = (status: string, reason?: string) => ({
    conditions: [{ type: 'Ready' }, { type: 'Active', status, reason }],
  });

  it('have the digests that were resolved when they were created', async () => {
    const sidecars = revision(
      'web-2',
      [
        { name: 'web', image: 'web:2' },
        { name: 'side', image: 'side:1' },
      ],
      {
        containerStatuses: [{ name: 'web', imageDigest: `web@sha256:${other}` }],
      },
    );
    const revisions = [
      revision('web-1', [{ image: 'web:1' }], {
        ...active('True'),
        imageDigest: `europe-docker.pkg.dev/p/r/web@sha256:${one}`,
      }),
      sidecars,
      revision('web-0', [{ image: 'web:0' }], active('False', 'Retired')),
      revision('none', [{ image: 'none:0' }], {}),
    ];
    const job = (name: string, image: string) => ({
      ...{ kind: 'Job', metadata: { name, creationTimestamp: `${iso}Z` } },
      spec: { template: { spec: { template: { spec: { containers: [{ image }] } } } } },
    });
    const jobs = [job('nightly', `batch@sha256:${one}`), job('tagged', 'batch:1')];
    const web = { kind: 'service', serviceName: 'web', creationTimestamp: startedAt };
    await expect(gatherDocuments(workspace, 'cloud-run', revisions, jobs)).resolves.toEqual({
      artifacts: [
        { ...web, revisionName: 'web-1', digests: { 'web:1': one } },
        { ...web, revisionName: 'web-2', digests: { 'web:2': other } },
        { kind: 'job', jobName: 'nightly', digests: { [`batch@sha256:${one}`]: one }, creationTimestamp: startedAt },
      ],
      notRunning: { Retired: 1 },
      withoutDigest: ['web-2/side', 'none', 'tagged'],
    });
    const { report } = await gather('cloud-run', { files: ['running-1.json'] }, workspace);
    expect(report).toMatchObject({ type: 'cloud-run' });
  });

  it.each([
    [[{ kind: 'Service' }], '[0].kind must be "Revision" or "Job", and is "Service"'],
    [{ kind: 'Revision', status: {} }, 'metadata must be an object, and is missing'],
  ])('are refused in %j', async (document, message) => {
    await expect(gatherDocuments(workspace, 'cloud-run', document)).rejects.toThrow(message);
  });
});
