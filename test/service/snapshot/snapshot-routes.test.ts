import { beforeEach, describe, expect, it } from '@jest/globals';
import { listAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { pod, reportPods, saveEnvironment, snapshotsOf } from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import { fingerprintOf, report, saveFlow } from '../../support/service-samples.ts';

const start = 1_700_000_000;

let service: TestService;
/** In Unix seconds; stands still unless a test moves it. */
let time = start;
const openOrganization = shareTestService({ sources: { now: () => time * 1000 } });
beforeEach(async () => {
  time = start + 0.75;
  service = await openOrganization();
  await saveEnvironment(service, 'prod');
});

/** Makes so many snapshots, ten seconds apart. */
const makeSnapshots = async (count: number, environment = 'prod'): Promise<void> => {
  for (let index = 1; index <= count; index += 1) {
    await reportPods(service, environment, pod('web-1', { [`web:${index}`]: 'abcdef' }));
    time += 10;
  }
};

const indexesOf = ({ body }: Called): number[] => (body as { index: number }[]).map(({ index }) => index);

describe('operation 12, list snapshots', () => {
  it('returns begin and end in whole seconds, and 0 for the end of the current snapshot', async () => {
    await makeSnapshots(3);
    time += 5;
    expect(await snapshotsOf(service, 'prod')).toMatchObject({
      status: 200,
      body: [
        { index: 3, from: start + 20, to: 0, compliant: false, judged: false, duration: 15 },
        { index: 2, from: start + 10, to: start + 20, compliant: false, judged: false, duration: 10 },
        { index: 1, from: start, to: start + 10, compliant: false, judged: false, duration: 10 },
      ],
    });
  });

  it('returns times as the clock showed them if it was set back, and no negative duration', async () => {
    await makeSnapshots(2);
    time = start - 1000;
    await makeSnapshots(1);
    expect(await snapshotsOf(service, 'prod', '?reverse=true')).toMatchObject({
      body: [
        { index: 1, to: start + 10 },
        { index: 2, from: start + 10, to: start + 10, duration: 0 },
        { index: 3, from: start - 1000, to: 0, duration: 10 },
      ],
    });
    time = start - 5000;
    expect(await snapshotsOf(service, 'prod', '?per_page=1')).toMatchObject({ body: [{ index: 3, duration: 0 }] });
  });

  it('are selected by their order if the clock was set forward or back', async () => {
    const madeAt = async (...times: readonly number[]): Promise<void> => {
      for (const seconds of times) {
        time = start + seconds;
        await reportPods(service, 'prod', pod('web-1', { [`web:${seconds}`]: 'abcdef' }));
      }
    };
    const selectedAt = async (seconds: number, now: number): Promise<unknown> => {
      time = start + now;
      const moment = new Date((start + seconds) * 1000).toISOString();
      return indexesOf(await snapshotsOf(service, 'prod', `?interval=@{${moment}}..@{${moment}}`));
    };
    await madeAt(10, 9000);
    expect(await selectedAt(19, 20)).toEqual([2]);
    await madeAt(30, 40);
    expect(await selectedAt(9, 50)).toEqual([]);
    expect(await selectedAt(35, 50)).toEqual([3]);
    expect(await selectedAt(49, 50)).toEqual([4]);
  });

  it('returns the newest 15 by default, and any page in either order', async () => {
    await makeSnapshots(17);
    expect(indexesOf(await snapshotsOf(service, 'prod'))).toEqual([
      17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
    ]);
    expect(indexesOf(await snapshotsOf(service, 'prod', '?page=2'))).toEqual([2, 1]);
    expect(indexesOf(await snapshotsOf(service, 'prod', '?page=3'))).toEqual([]);
    expect(indexesOf(await snapshotsOf(service, 'prod', '?page=2&per_page=3&reverse=True'))).toEqual([4, 5, 6]);
    expect(indexesOf(await snapshotsOf(service, 'prod', '?page=6&per_page=3&reverse=true'))).toEqual([16, 17]);
    expect(indexesOf(await snapshotsOf(service, 'prod', '?page=1000000000&per_page=1000'))).toEqual([]);
  });

  it.each([
    ['2..4', [4, 3, 2]],
    ['#2..#4', [4, 3, 2]],
    ['4..NOW', [5, 4]],
    ['~1..NOW', [5, 4]],
    ['~9..~3', [2, 1]],
    ['4..99', [5, 4]],
    ['7..NOW', []],
    ['@{2023-11-14T22:13:30}..@{2023-11-14T22:13:49Z}', [3, 2]],
    ['@{2020-01-01}..2', [2, 1]],
    ['@{25.seconds.ago}..NOW', [5, 4, 3]],
    ['', [5, 4, 3, 2, 1]],
    ['prod#2..prod#4', [4, 3, 2]],
    ['prod~1..NOW', [5, 4]],
    ['2..prod#3', [3, 2]],
  ])('takes the interval %s', async (interval, indexes) => {
    await makeSnapshots(5);
    const query = `?per_page=100&interval=${encodeURIComponent(interval)}`;
    expect(indexesOf(await snapshotsOf(service, 'prod', query))).toEqual(indexes);
  });

  it('neither skips nor repeats snapshots on pages of a fixed interval, or in ascending order, while snapshots are added', async () => {
    await makeSnapshots(7);
    for (const query of ['interval=1..7', 'interval=1..7&reverse=true', 'reverse=true']) {
      const seen: number[] = [];
      for (let page = 1; page <= 4; page += 1) {
        seen.push(...indexesOf(await snapshotsOf(service, 'prod', `?per_page=2&page=${page}&${query}`)));
        await reportPods(service, 'prod', pod('web-1', { [`${query} ${page}`]: 'abcdef' }));
      }
      expect(seen.filter((index) => index <= 7).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    }
  });

  it.each([
    ['interval=7', 'query.interval'],
    ['interval=4..2', 'query.interval'],
    ['interval=prod..NOW', 'query.interval'],
    ['page=0', 'query.page'],
    ['per_page=0', 'query.per_page'],
    ['per_page=1001', 'query.per_page'],
    ['reverse=maybe', 'query.reverse'],
    ['order=asc', 'query.order'],
  ])('rejects %s', async (query, field) => {
    const { status, body } = await snapshotsOf(service, 'prod', `?${query}`);
    expect(status).toBe(400);
    expect(Object.keys((body as { errors: object }).errors)).toEqual([field]);
  });

  it('rejects an interval of another environment', async () => {
    const { status, body } = await snapshotsOf(service, 'prod', `?interval=${encodeURIComponent('#1..stage#2')}`);
    expect(status).toBe(400);
    const rule = '"stage#2" selects a snapshot of stage, not of prod';
    expect(body).toMatchObject({ errors: { 'query.interval': expect.stringContaining(rule) } });
  });

  it('reports a missing environment with the message of the interface', async () => {
    expect(await snapshotsOf(service, 'stage')).toMatchObject({
      status: 404,
      body: {
        message: 'Flow not found',
        errors: { 'path.env_name': `Environment named 'stage' does not exist for organization '${service.org}'` },
      },
    });
  });

  it('returns no snapshots for an environment without reports', async () => {
    expect(await snapshotsOf(service, 'prod')).toMatchObject({ status: 200, body: [] });
  });
});

describe('operation 11, get environment diff', () => {
  const diff = (one: string, other: string): Promise<Called> =>
    call(service, {
      path: `/env-diff/${service.org}?snappish1=${encodeURIComponent(one)}&snappish2=${encodeURIComponent(other)}`,
    });

  it('returns what is only in the first, only in the second, changed, and not changed', async () => {
    await saveFlow(service);
    await report(service, { fingerprint: fingerprintOf('aaaaa') });
    await reportPods(
      service,
      'prod',
      pod('web-1', { web: 'aaaaa' }),
      pod('old-1', { old: 'bbbbb' }),
      pod('api-1', { api: 'ccccc' }, { creationTimestamp: start }),
    );
    await reportPods(
      service,
      'prod',
      pod('web-2', { web: 'aaaaa' }, { creationTimestamp: start + 5 }),
      pod('web-1', { web: 'aaaaa' }),
      pod('api-9', { api: 'ccccc' }, { creationTimestamp: start + 7 }),
      pod('new-1', { new: 'ddddd' }),
    );
    const artifact = (name: string, digits: string, change: object): object => ({
      name,
      fingerprint: fingerprintOf(digits),
      most_recent_timestamp: start,
      ...{ flow: '', commit_url: '', allowed: false },
      ...change,
    });
    const counts = (shown: number, first: number, second: number): object => ({
      ...{ instance_count: shown, s1_instance_count: first, s2_instance_count: second },
    });
    const known = { flow: 'web', commit_url: expect.stringContaining('https://git.example.com/acme/web/commit/') };
    expect(await diff('prod#1', 'prod')).toEqual({
      headers: expect.anything(),
      text: expect.any(String),
      status: 200,
      body: {
        snappish1: {
          snapshot_id: 'prod#1',
          artifacts: [artifact('old', 'bbbbb', { ...counts(1, 1, 0), pods: ['old-1'] })],
        },
        snappish2: {
          snapshot_id: 'prod#2',
          artifacts: [artifact('new', 'ddddd', { ...counts(1, 0, 1), pods: ['new-1'] })],
        },
        changed: {
          snapshot_id: 'prod#2',
          artifacts: [
            artifact('web', 'aaaaa', {
              ...counts(2, 1, 2),
              ...known,
              pods: ['web-1', 'web-2'],
              most_recent_timestamp: start + 5,
            }),
          ],
        },
        'not-changed': {
          snapshot_id: 'prod#2',
          artifacts: [
            artifact('api', 'ccccc', { ...counts(1, 1, 1), pods: ['api-9'], most_recent_timestamp: start + 7 }),
          ],
        },
      },
    });
  });

  it('returns the instances that were reported last while a snapshot was current', async () => {
    await reportPods(service, 'prod', pod('web-1', { web: 'aaaaa' }));
    await reportPods(service, 'prod', pod('web-7', { web: 'aaaaa' }), pod('web-8', { web: 'aaaaa' }));
    await reportPods(service, 'prod', pod('web-9', { web: 'aaaaa' }), pod('job-1', { job: 'bbbbb' }));
    expect(await diff('prod#1', 'prod')).toMatchObject({
      body: { changed: { artifacts: [{ s1_instance_count: 2, s2_instance_count: 1, pods: ['web-9'] }] } },
    });
  });

  it('compares environments, and resolves the members of a logical one', async () => {
    await saveEnvironment(service, 'stage');
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod', 'stage'] });
    await reportPods(service, 'prod', pod('web-1', { web: 'aaaaa' }));
    await reportPods(service, 'stage', pod('web-1', { web: 'aaaaa' }), pod('job-1', { job: 'bbbbb' }));
    expect(await diff('prod', 'all')).toMatchObject({
      body: {
        snappish1: { snapshot_id: 'prod#1', artifacts: [] },
        snappish2: { snapshot_id: 'all#2', artifacts: [{ name: 'job' }] },
        changed: { artifacts: [{ name: 'web', s1_instance_count: 1, s2_instance_count: 2, pods: ['web-1', 'web-1'] }] },
      },
    });
    expect(await diff('all#1', 'all#1')).toMatchObject({
      body: { 'not-changed': { artifacts: [{ name: 'web', instance_count: 1 }] } },
    });
  });

  it('lists the pods of all members of a logical one, also if they have the same name and namespace', async () => {
    const members = ['prod', 'stage', 'test'];
    for (const name of members) await saveEnvironment(service, name);
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: members });
    for (const name of members) await reportPods(service, name, pod('web-0', { web: 'aaaaa' }));
    const { body } = await call(service, { path: `/snapshots/${service.org}/all/-1` });
    const [artifact] = listAt(body, 'artifacts');
    expect(valueAt(artifact, 'annotation', 'now')).toBe(3);
    expect(Object.keys(valueAt(artifact, 'pods') as object)).toEqual(['web-0', 'shop/web-0', 'test/shop/web-0']);
  });

  it.each([
    ['prod', 'prod#5'],
    ['prod#2', 'prod#2'],
    ['prod~1', 'prod#4'],
    ['prod1', 'prod#4'],
    ['prod4', 'prod#1'],
    ['prod0', 'prod#5'],
    ['prod2', 'prod2#1'],
    ['prod21', 'prod21#1'],
    ['prod20', 'prod2#1'],
    ['prod@{2023-11-14T22:13:35}', 'prod#2'],
    ['prod@{22.seconds.ago}', 'prod#3'],
  ])('reads %s as %s', async (expression, id) => {
    await makeSnapshots(5);
    for (const name of ['prod2', 'prod21']) {
      await saveEnvironment(service, name);
      await reportPods(service, name);
    }
    expect(await diff(expression, 'prod#1')).toMatchObject({ status: 200, body: { snappish1: { snapshot_id: id } } });
    expect(await diff('prod#1', expression)).toMatchObject({ status: 200, body: { snappish2: { snapshot_id: id } } });
  });

  it.each([
    ['prod#0', 'after # there must be the number of a snapshot, from 1'],
    ['prod~', 'after ~ there must be a number: how many behind the latest'],
    ['#1', 'it does not start with the name of an environment'],
  ])('says why %s selects nothing', async (expression, reason) => {
    await makeSnapshots(5);
    await saveEnvironment(service, 'empty');
    expect(await diff(expression, 'prod')).toMatchObject({
      status: 400,
      body: { message: `Bad snappish '${expression}': ${reason}` },
    });
  });

  it.each([
    ['prod#6', 'prod#6', 5],
    ['prod~5', 'prod#0', 5],
    ['prod7', 'prod#-2', 5],
    ['prod@{2020-01-01}', 'prod#0', 5],
    ['empty', 'empty#0', 0],
  ])('says what %s resolves to if there is no such snapshot', async (expression, resolved, count) => {
    await makeSnapshots(5);
    await saveEnvironment(service, 'empty');
    const message = `Org: '${service.org}'. Snapshot '${expression}' resolves to '${resolved}'. len(snapshots) == ${count}. Indexes are 1-based`;
    expect(await diff(expression, 'prod')).toMatchObject({ status: 404, body: { message } });
    expect(await diff('prod', expression)).toMatchObject({ status: 404, body: { message } });
  });

  it('reports which expression refers to a missing environment', async () => {
    await makeSnapshots(1);
    expect(await diff('prod', 'stage1')).toMatchObject({
      status: 404,
      body: {
        message: 'Environment not found',
        errors: { 'query.snappish2': `Environment named 'stage1' does not exist for organization '${service.org}'` },
      },
    });
  });

  it('requires both expressions', async () => {
    expect(await call(service, { path: `/env-diff/${service.org}?snappish1=prod` })).toMatchObject({
      status: 400,
      body: { errors: { 'query.snappish2': 'is missing' } },
    });
  });
});
