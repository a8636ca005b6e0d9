import { describe, expect, it } from '@jest/globals';
import { TransportError } from '../../src/http/transport.ts';
import { failureOf } from '../support/failures.ts';
import {
  always,
  answersInTurn,
  type PerformedOperation,
  performOperation,
  reportFacts,
  reportTables,
  type ScriptedAnswer,
} from '../support/perform-operation.ts';
import { aPod, containerStatus, digestOf, podList } from '../support/pods.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';
import { userErrorOf } from '../support/user-error.ts';

const image = 'registry.example.com/web:1';
const pods = podList(
  aPod('web-1'),
  aPod('web-2', { metadata: { namespace: 'beta' } }),
  aPod('job-1', { status: { phase: 'Succeeded' } }),
  aPod('new-1', { status: { phase: 'Pending' } }),
  aPod('api-1', {
    status: {
      containerStatuses: [
        containerStatus('api', 'api:2', `api@sha256:${digestOf('b')}`),
        containerStatus('sidecar', 'sidecar:1', ''),
      ],
    },
  }),
);

const workspace = workspaceForEachTest();

async function reported(
  document: unknown,
  ...answers: readonly [ScriptedAnswer | Error, ...(ScriptedAnswer | Error)[]]
): Promise<PerformedOperation> {
  await workspace.write('pods.json', JSON.stringify(document));
  return performOperation(
    'report-k8s',
    { environment: 'prod', files: 'pods.json' },
    answersInTurn(...answers),
    workspace.path,
  );
}

describe('report-k8s', () => {
  it('reports what runs, and shows what it left out', async () => {
    const { result, requests, sent, log } = await reported(pods, { status: 201, body: 'OK' });
    expect(sent).toEqual(['PUT /environments/acme/prod/report/K8S']);
    const pod = { creationTimestamp: 1_767_323_045, digests: { [image]: digestOf('a') } };
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      artifacts: [
        { ...pod, namespace: 'shop', podName: 'web-1' },
        { ...pod, namespace: 'beta', podName: 'web-2' },
        { ...pod, digests: { 'api:2': digestOf('b') }, namespace: 'shop', podName: 'api-1' },
      ],
    });
    expect(result).toMatchObject({
      outcome: 'done',
      state: 'changed',
      conclusion: 'The report of 3 pods with 2 images to environment prod created a new snapshot.',
    });
    expect(reportFacts(result)).toEqual({
      Organization: 'acme',
      Environment: 'prod',
      Snapshot: 'a new one',
      Pods: '3',
      Images: '2',
      Namespaces: 'beta, shop',
      'Left out, not running': '1 Succeeded, 1 Pending',
      'Left out, without a digest': '1 container: shop/api-1/sidecar',
    });
    expect(reportTables(result)).toEqual({
      'Images (2)': [
        ['api:2', digestOf('b'), '1', 'shop'],
        [image, digestOf('a'), '2', 'beta, shop'],
      ],
    });
    expect(log.warnings).toEqual([
      'Left out because their images have no digest yet: 1 container: shop/api-1/sidecar. Report again once they run.',
    ]);
  });

  it('does not report "unchanged" if an earlier attempt may have changed it', async () => {
    const lost = new TransportError('interrupted', true, 'read ECONNRESET');
    const { result } = await reported(podList(aPod('web-1')), lost, { status: 200, body: 'unchanged' });
    expect(result).toMatchObject({
      outcome: 'done',
      conclusion:
        'The report of 1 pod with 1 image to environment prod was processed; whether it created a new snapshot is not known.',
    });
    expect(result.state).toBeUndefined();
    expect(reportFacts(result)['Snapshot']).toBe('unknown');

    const made = await reported(podList(aPod('web-1')), lost, { status: 201, body: 'OK' });
    expect(made.result).toMatchObject({ state: 'changed' });
  });

  it('reports if nothing has changed', async () => {
    const { result, log } = await reported(podList(aPod('web-1')), { status: 200, body: 'unchanged' });
    expect(result).toMatchObject({
      state: 'unchanged',
      response: 'unchanged',
      conclusion: 'The report of 1 pod with 1 image to environment prod changed nothing, so there is no new snapshot.',
    });
    expect(log.warnings).toEqual([]);
  });

  it('accepts the report format of the interface', async () => {
    const report = { artifacts: [{ creationTimestamp: 1, digests: {}, namespace: 'shop', podName: 'web-1' }] };
    const { requests } = await reported(report, { status: 201, body: 'OK' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(report);
  });

  it('warns of an empty report, which does not mean that nothing runs', async () => {
    const pods = [
      aPod('new-1', { status: { phase: 'Pending' } }),
      aPod('web-1', { status: { containerStatuses: [containerStatus('web', 'web:1', '')] } }),
    ];
    const { result, log } = await reported(podList(...pods), { status: 201, body: 'OK' });
    expect(log.warnings).toEqual([
      expect.stringContaining('1 container: shop/web-1/web'),
      'The report is empty: pods.json has no running pod with the digest of an image.',
    ]);
    expect(result.report.tables).toEqual([]);
  });

  it('names a few of many containers without a digest', async () => {
    const containerStatuses = Array.from({ length: 12 }, (_, at) => containerStatus(`c${at}`, `i${at}`, ''));
    const { result } = await reported(podList(aPod('web-1', { status: { containerStatuses } })), {
      status: 201,
      body: 'OK',
    });
    expect(reportFacts(result)['Left out, without a digest']).toMatch(/^12 containers: .*shop\/web-1\/c9 and 2 more$/u);
  });

  it('sends nothing if the file is malformed or not the only one', async () => {
    await workspace.write('other.json', '{}');
    const sent = always(201, 'OK');
    const run = (files: string): Promise<unknown> =>
      performOperation('report-k8s', { environment: 'prod', files }, sent, workspace.path);
    await workspace.write('pods.json', JSON.stringify(podList({})));
    expect((await userErrorOf(() => run('pods.json'))).message).toContain('items[0].status');
    expect((await userErrorOf(() => run('*.json'))).message).toContain('exactly one file, the pods, but matches 2');
  });

  it('shows the service’s message and fields if it refuses the report', async () => {
    const body = { message: 'Invalid report data', errors: { artifacts: 'wrong' } };
    const failure = await failureOf(reported(podList(), { status: 400, body }));
    expect(failure.message).toContain('400: Invalid report data\n  artifacts: wrong');
  });
});
