import { createHash } from 'node:crypto';
import { symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maximumJsonFileBytes } from '../../../src/evidence/files/json-limits.ts';
import { UserError } from '../../../src/runtime/failure.ts';
import { gather, gatherDocuments, reportedAt } from '../../support/gather-running.ts';
import { digestOf } from '../../support/pods.ts';
import { temporaryWorkspace, workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

const [one, other] = [digestOf('a'), digestOf('b')];
const startedAt = 1_700_000_000;
describe('artifacts by their names', () => {
  const artifacts = [
    { name: 'web', fingerprint: one },
    { name: 'api', fingerprint: other },
  ];
  const [web, api] = artifacts.map(({ name, fingerprint }) => ({
    digests: { [name]: fingerprint },
    creationTimestamp: reportedAt,
  }));

  it('stand for the names of tasks and of apps, which these kinds require', async () => {
    expect((await gather('ECS', { artifacts }, workspace)).report.artifacts).toEqual([
      { ...web, taskArn: 'web' },
      { ...api, taskArn: 'api' },
    ]);
    expect((await gather('azure-apps', { artifacts }, workspace)).report.artifacts).toEqual([
      { ...web, app_name: 'web' },
      { ...api, app_name: 'api' },
    ]);
  });

  it('are refused if they do not fit into a report', async () => {
    await expect(
      gather('ECS', { artifacts: [{ name: 'n'.repeat(5000), fingerprint: one }] }, workspace),
    ).rejects.toThrow('The report: artifacts.0.taskArn must not have more than');
  });
});

describe('documents', () => {
  it('may be reports in the form of the service', async () => {
    const report = (digest: string) => ({
      artifacts: [{ app_name: 'web', digests: { web: digest }, creationTimestamp: 1 }],
    });
    const expected = report(one).artifacts;
    expect((await gatherDocuments(workspace, 'azure-apps', report(`sha256:${one}`))).artifacts).toEqual(expected);
    await expect(gatherDocuments(workspace, 'ECS', report(one))).rejects.toThrow('running-0.json: artifacts.0');
    await expect(gatherDocuments(workspace, 'azure-apps', report('abc'))).rejects.toThrow('artifacts.0.digests');
  });

  it('that are no JSON, or too large, are refused with the command that prints them', async () => {
    await workspace.write('empty.json', '');
    const failing = gather('lambda', { files: ['empty.json'] }, workspace);
    await expect(failing).rejects.toMatchObject({
      message: expect.stringContaining('empty.json is not JSON'),
      remedy: 'Print what runs as JSON: `aws lambda list-functions`.',
    });
    await workspace.write('large.json', `[${' '.repeat(maximumJsonFileBytes)}]`);
    await expect(gather('docker', { files: ['large.json'] }, workspace)).rejects.toThrow('the limit is 32.0 MiB');
  });

  it('that nest values too deep are refused before they are parsed', async () => {
    await workspace.write('deep.json', '['.repeat(maximumJsonFileBytes));
    await expect(gather('docker', { files: ['deep.json'] }, workspace)).rejects.toMatchObject({
      message: 'deep.json nests values more than 100 deep',
      remedy: 'Use the unchanged output of `docker inspect $(docker ps -q) $(docker image ls -q)`.',
    });
  });

  it('are not read through links that lead out of the workspace', async () => {
    await symlink('/etc/hostname', join(workspace.path, 'link.json'));
    await expect(gather('lambda', { files: ['link.json'] }, workspace)).rejects.toThrow('leads out of the workspace');
  });

  it('of any content are understood or refused', async () => {
    const kinds = ['docker', 'ECS', 'lambda', 'azure-apps', 'cloud-run'] as const;
    const keys = fc.constantFrom(
      'tasks',
      'Functions',
      'kind',
      'State',
      'Id',
      'containers',
      'name',
      '__proto__',
      'artifacts',
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), fc.constant(null), tie('list'), tie('object')),
      list: fc.array(tie('any'), { maxLength: 3 }),
      object: fc.dictionary(keys, tie('any'), { maxKeys: 4 }),
    })).any;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...kinds), value, async (kind, document) => {
        await workspace.write('any.json', JSON.stringify(document));
        try {
          const { report } = await gather(kind, { files: ['any.json'] }, workspace);
          expect(Array.isArray(report.artifacts)).toBe(true);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});

describe('files', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const changed = (path: string, seconds: number): Promise<void> =>
    utimes(join(workspace.path, path), seconds, seconds);

  it('of a server are one artifact a path, since it was changed', async () => {
    await workspace.write('web.tgz', 'web');
    await workspace.write('served/index.html', 'hello');
    await workspace.write('served/.kosli_ignore', 'logs\n');
    await changed('web.tgz', startedAt);
    await changed('served', startedAt + 1);
    const outside = await temporaryWorkspace();
    try {
      await outside.write('app.jar', 'jar');
      const { report } = await gather(
        'server',
        { files: ['web.tgz', 'served', join(outside.path, 'app.jar')] },
        workspace,
      );
      const before = report.artifacts;
      expect(before).toEqual([
        { digests: { 'web.tgz': sha256('web') }, creationTimestamp: startedAt },
        { digests: { served: expect.stringMatching(/^[a-f0-9]{64}$/u) }, creationTimestamp: startedAt + 1 },
        { digests: { [join(outside.path, 'app.jar')]: sha256('jar') }, creationTimestamp: expect.any(Number) },
      ]);
      await workspace.write('served/logs', 'ignored');
      await changed('served', startedAt + 1);
      const files = ['web.tgz', 'served', join(outside.path, 'app.jar')];
      expect((await gather('server', { files }, workspace)).report.artifacts).toEqual(before);
    } finally {
      await outside.remove();
    }
  });

  it('of a bucket are one artifact, since the latest of them was changed', async () => {
    for (const [index, name] of ['a.txt', 'folder/b.txt', 'c.txt'].entries()) {
      await workspace.write(`copies/bucket/${name}`, name);
      await changed(`copies/bucket/${name}`, startedAt + index);
    }
    await workspace.write('copies/single/only.txt', 'hello');
    await changed('copies/single/only.txt', startedAt);
    const { report } = await gather('S3', { files: ['copies/*'] }, workspace);
    expect(report.artifacts).toEqual([
      { digests: { bucket: expect.stringMatching(/^[a-f0-9]{64}$/u) }, creationTimestamp: startedAt + 2 },
      { digests: { 'only.txt': sha256('hello') }, creationTimestamp: startedAt },
    ]);
  });

  it('that are missing are named', async () => {
    await expect(gather('server', { files: ['nothing'] }, workspace)).rejects.toThrow('nothing');
    await workspace.write('bucket/empty/.keep', '');
    await expect(gather('S3', { files: ['bucket/none'] }, workspace)).rejects.toThrow('bucket/none');
  });
});
