import { describe, expect, it } from '@jest/globals';
import { failureOf } from '../support/failures.ts';
import {
  answersInTurn,
  type PerformedOperation,
  performOperation,
  reportFacts,
  reportTables,
} from '../support/perform-operation.ts';
import { digestOf } from '../support/pods.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';

const [one, other] = [digestOf('a'), digestOf('b')];

const workspace = workspaceForEachTest();

/** Reports to an environment of this type, whose service answers the report with this status. */
function report(
  type: string,
  inputs: Readonly<Record<string, string>>,
  status: 200 | 201 = 201,
): Promise<PerformedOperation> {
  const answers = answersInTurn({ status: 200, body: { type } }, { status, body: 'OK' });
  return performOperation('report-environment', { environment: 'prod', ...inputs }, answers, workspace.path);
}

describe('report-environment', () => {
  it('reports artifacts by their names, in the form of the environment', async () => {
    const artifacts = `ghcr.io/acme/web:1@sha256:${one}\nbin/app@2@SHA256:${other.toUpperCase()}`;
    const { requests, sent, result, log } = await report('cloud-run', { artifacts });
    expect(sent).toEqual(['GET /environments/acme/prod', 'PUT /environments/acme/prod/report/cloud-run']);
    const creationTimestamp = expect.any(Number);
    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({
      type: 'cloud-run',
      artifacts: [
        { digests: { 'ghcr.io/acme/web:1': one }, creationTimestamp },
        { digests: { 'bin/app@2': other }, creationTimestamp },
      ],
    });
    expect(result).toMatchObject({
      outcome: 'done',
      state: 'changed',
      conclusion: 'The report of 2 revisions with 2 artifacts to environment prod created a new snapshot.',
    });
    expect(log.warnings).toEqual([]);
  });

  it('reports what a command printed, and shows what it left out', async () => {
    const task = (taskArn: string, lastStatus: string, ...images: readonly object[]) => ({
      ...{ taskArn, lastStatus, startedAt: 1_700_000_000, containers: images },
    });
    const web = { name: 'web', image: 'web:1', imageDigest: `sha256:${one}` };
    const tasks = [
      task('arn/1', 'RUNNING', web),
      task('arn/2', 'RUNNING', web, { name: 'side', image: 'side:1' }),
      task('arn/3', 'STOPPED'),
    ];
    await workspace.write('tasks.json', JSON.stringify({ tasks }));
    const { result, log } = await report('ECS', { files: 'tasks.json' }, 200);
    expect(result).toMatchObject({ state: 'unchanged' });
    expect(reportFacts(result)).toEqual({
      ...{ Organization: 'acme', Environment: 'prod', Tasks: '2', Artifacts: '1' },
      Snapshot: 'no new one, because nothing changed',
      'Left out, not running': '1 STOPPED',
      'Left out, without a digest': '1 container: 2/side',
    });
    expect(reportTables(result)).toEqual({ 'Artifacts (1)': [['web:1', one, '2']] });
    expect(log.warnings).toEqual([
      'Left out because no digest is known: 1 container: 2/side. Deploy images by their digest, or list what runs in `artifacts`.',
    ]);
  });

  it('computes the fingerprints of what a server runs', async () => {
    await workspace.write('app.jar', 'jar');
    const { sent, result } = await report('server', { files: '*.jar' });
    expect(sent.at(-1)).toBe('PUT /environments/acme/prod/report/server');
    expect(reportFacts(result)).toMatchObject({ Paths: '1', Artifacts: '1' });
  });

  it('warns if nothing runs', async () => {
    await workspace.write('functions.json', '{"Functions":[]}');
    const { log, result } = await report('lambda', { files: 'functions.json' });
    expect(log.warnings).toEqual(['The report is empty: nothing runs that has a known digest.']);
    expect(result.report.tables).toEqual([]);
  });

  it.each([
    ['K8S', 'Report it with `report-k8s`.'],
    ['logical', 'Report the environments that it includes.'],
    ['mainframe', 'Use a later version of this action.'],
  ])('sends no report to an environment of the type %s', async (type, remedy) => {
    const failure = await failureOf(report(type, { artifacts: `web@sha256:${one}` }));
    expect(failure).toMatchObject({
      message: `environment prod is of the type ${type}, which \`report-environment\` does not report`,
      remedy,
    });
  });

  it.each([
    [{}, 'Exactly one of `artifacts` and `files` must be given, but neither is'],
    [{ artifacts: `web@sha256:${one}`, files: 'a' }, 'but both are'],
    [{ artifacts: `web@sha256:${one}\n\napi@sha256:${other}` }, 'line 2 of 3 is empty'],
    [{ artifacts: 'web@sha256:' }, 'must be artifacts with their digests, one per line'],
    [{ artifacts: 'web:1' }, 'must be artifacts with their digests, one per line'],
    [{ artifacts: `@sha256:${one}` }, 'must be artifacts with their digests, one per line'],
  ])('refuses the inputs %j', async (inputs, words) => {
    expect((await failureOf(report('server', inputs))).message).toContain(words);
  });
});
