import { describe, expect, it } from '@jest/globals';
import type { SnapshotEntry } from '../../../src/contract/snapshot.ts';
import { failureOf } from '../../support/failures.ts';
import {
  always,
  type PerformedOperation,
  performOperation,
  reportFacts,
  reportTables,
  type ScriptedAnswer,
  type SeenRequest,
} from '../../support/perform-operation.ts';
import { userErrorOf } from '../../support/user-error.ts';

const start = 1_767_323_045;

/** The snapshots 1 to `count`, the newest first, each an hour long. */
function snapshots(count: number, latest: boolean | null = true): readonly SnapshotEntry[] {
  return Array.from({ length: count }, (_, at): SnapshotEntry => {
    const index = count - at;
    const from = start + index * 3600;
    return { index, from, to: at === 0 ? 0 : from + 3600, compliant: at === 0 ? latest : true, duration: 3600 };
  });
}

function serviceOf(listed: () => readonly SnapshotEntry[]): (request: SeenRequest) => ScriptedAnswer {
  return ({ path }) => {
    const query = new URL(path, 'https://x').searchParams;
    const [page, size] = [Number(query.get('page')), Number(query.get('per_page') ?? 15)];
    const all = query.get('reverse') === 'true' ? listed().toReversed() : listed();
    const [from, to] = (query.get('interval') ?? '').split('..').map(Number);
    const within = from === undefined || to === undefined ? all : all.filter((s) => s.index >= from && s.index <= to);
    return { status: 200, body: within.slice((page - 1) * size, page * size) };
  };
}

/** Lists the environment prod, which has these snapshots, or of which the service answers this. */
function list(
  inputs: Readonly<Record<string, string>>,
  answer: readonly SnapshotEntry[] | ((request: SeenRequest) => ScriptedAnswer),
): Promise<PerformedOperation> {
  const service = typeof answer === 'function' ? answer : serviceOf(() => answer);
  return performOperation('list-snapshots', { environment: 'prod', ...inputs }, service);
}

describe('list-snapshots of one page', () => {
  it('lists the first page and judges the current snapshot', async () => {
    const { result, sent, onNonCompliant } = await list({}, snapshots(20));
    expect(sent).toEqual(['GET /snapshots/acme/prod?page=1']);
    expect(onNonCompliant).toBe('ignore');
    expect(result).toMatchObject({
      outcome: 'compliant',
      count: 15,
      conclusion: 'Snapshot #20 of environment prod, the latest, is compliant.',
      response: snapshots(20).slice(0, 15),
    });
    expect(reportFacts(result)).toEqual({
      Organization: 'acme',
      Environment: 'prod',
      'Latest snapshot': '#20',
      Compliant: '✅ yes',
      Since: '2026-01-02T23:04:05Z',
      Listed: '15 (page 1)',
    });
    expect(reportTables(result)['Snapshots (15)']?.slice(0, 2)).toEqual([
      ['#20', '✅ yes', '2026-01-02T23:04:05Z', 'now', '1 h'],
      ['#19', '✅ yes', '2026-01-02T22:04:05Z', '2026-01-02T23:04:05Z', '1 h'],
    ]);
  });

  it('fetches the current snapshot if the page does not have it', async () => {
    const { result, requests } = await list(
      { page: '2', 'per-page': '3', reverse: 'true', interval: '1..5' },
      snapshots(20, false),
    );
    expect(requests.map(({ path }) => path)).toEqual([
      '/snapshots/acme/prod?page=2&per_page=3&interval=1..5&reverse=true',
      '/snapshots/acme/prod?page=1&per_page=1',
    ]);
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      count: 2,
      conclusion:
        'Snapshot #20 of environment prod, the latest, is not compliant: not compliant; the page of the snapshot says why.',
    });
  });

  it('names artifact, rule and page of each reason, and links to the snapshot', async () => {
    const reason = {
      ...{ state: 'failed', about: 'sonar of web.tgz', rule: 'policy strict', value: 'not recorded' },
      html_url: 'https://compliance.example.com/acme/flows/web/artifacts/1',
    };
    const page = 'https://compliance.example.com/acme/environments/prod/snapshots/3';
    const [latest, ...others] = snapshots(3, false);
    const { result } = await list(
      {},
      always(200, [{ ...latest, html_url: page, reasons: [reason, 7, { ...reason, about: 'api.tgz' }] }, ...others]),
    );
    expect(result).toMatchObject({ outcome: 'non-compliant', htmlUrl: page, report: { reasons: [reason, {}] } });
    expect(result.conclusion.split('\n')).toEqual([
      'Snapshot #3 of environment prod, the latest, is not compliant:',
      'sonar of web.tgz: not recorded (policy strict)',
      'api.tgz: not recorded (policy strict)',
    ]);
    expect(result.report.tables?.[0]?.rows[0]?.[0]).toEqual({ text: '#3', href: page });
  });

  it.each([
    [true, 'compliant'],
    [false, 'non-compliant'],
    [null, 'incomplete'],
  ] as const)(
    'judges a current snapshot with compliant: %j as %s, whatever came before',
    async (compliant, outcome) => {
      const { result } = await list({}, snapshots(3, compliant));
      expect(result.outcome).toBe(outcome);
    },
  );

  it.each([
    [{ compliant: false, judged: false }, 'incomplete'],
    [{ compliant: true, judged: false }, 'incomplete'],
    [{ compliant: false, judged: true }, 'non-compliant'],
    [{ compliant: true, judged: true }, 'compliant'],
    [{ from: 1.5, to: 0, duration: 0.25, compliant: true }, 'compliant'],
    [{ from: 1.5, to: 2.5, compliant: true }, 'incomplete'],
    [{}, 'incomplete'],
  ] as const)('judges %j as %s', async (fields, outcome) => {
    const answer = always(200, [{ index: 1, from: start, to: 0, ...fields }]);
    expect((await list({}, answer)).result.outcome).toBe(outcome);
  });

  it.each(['1', 'all'])(
    'judges the later one where the service shows two that are current (page: %s)',
    async (page) => {
      const two = [
        { index: 1, from: start, to: 0, compliant: true },
        { index: 9, from: start + 60, to: 0, compliant: false },
      ];
      // A service that ignores interval, page and size.
      const { result } = await list({ page }, always(200, two));
      expect(result.outcome).toBe('non-compliant');
      expect(result.conclusion).toContain('Snapshot #9');
    },
  );

  it('gives no verdict if the answer has another form', async () => {
    const failure = await failureOf(list({}, always(200, [{ index: 1, from: start, to: 0, compliant: 'true' }])));
    expect(failure.message).toContain('compliant must');
  });

  it('says what is missing if an environment is not judged', async () => {
    const { result } = await list({}, snapshots(3, null));
    expect(result.conclusion).toBe(
      'Snapshot #3 of environment prod, the latest, has no verdict: no policy judges it; attach a policy to have it judged.',
    );
  });

  it('is incomplete if there is no snapshot', async () => {
    const { result } = await list({}, always(200, []));
    expect(result).toMatchObject({
      outcome: 'incomplete',
      count: 0,
      conclusion: 'Environment prod has no snapshot yet: nothing has been reported to it.',
      report: { reasons: [{ state: 'missing', about: 'prod' }] },
    });
  });

  it('does not judge by a snapshot that is not current', async () => {
    const { result } = await list({}, always(200, snapshots(3).slice(1)));
    expect(result.outcome).toBe('incomplete');
    expect(result.conclusion).toContain('Snapshot #2 of environment prod is not current');
  });

  it('checks the interval before anything is sent', async () => {
    const mistake = await userErrorOf(() => list({ interval: '3' }, always(500, {})));
    expect(mistake.problems.map(({ input }) => input)).toEqual(['interval']);
  });

  it('shows the service’s message if the environment does not exist', async () => {
    const failure = await failureOf(list({}, always(404, { message: 'Flow not found' })));
    expect(failure.message).toContain('404: Flow not found');
  });
});

describe('list-snapshots of all pages', () => {
  it.each([
    ['false', (all: readonly SnapshotEntry[]) => all],
    ['true', (all: readonly SnapshotEntry[]) => all.toReversed()],
  ])('writes every snapshot to the file (reverse: %s)', async (reverse, ordered) => {
    const { result, requests, written } = await list({ page: 'all', reverse }, snapshots(250));
    expect(written).toEqual(ordered(snapshots(250)));
    expect(requests).toHaveLength(4);
    expect(result).toMatchObject({ outcome: 'compliant', count: 250, response: undefined });
    expect(result.report.tables?.map(({ title, rows, more }) => [title, rows.length, more])).toEqual([
      ['Snapshots (250)', 200, 50],
    ]);
  });

  it('writes an empty list if nothing was reported yet', async () => {
    const { result, written } = await list({ page: 'all' }, always(200, []));
    expect(written).toEqual([]);
    expect(result.outcome).toBe('incomplete');
  });

  it('replaces a relative interval, so that new snapshots do not move it', async () => {
    let latest = 20;
    const { requests, written } = await list(
      { page: 'all', 'per-page': '2', interval: '~5..NOW' },
      serviceOf(() => snapshots((latest += 1))),
    );
    expect(requests[1]?.path).toBe('/snapshots/acme/prod?page=1&per_page=2&interval=16..21');
    expect(Array.isArray(written) && (written as SnapshotEntry[]).map(({ index }) => index)).toEqual([
      21, 20, 19, 18, 17, 16,
    ]);
  });
});

describe('list-snapshots that waits', () => {
  const missing = { status: 404, body: { message: 'Flow not found' } };

  /** Returns these pages in order, and repeats the last one. */
  function answersInTurn(
    ...stages: readonly (ScriptedAnswer | readonly SnapshotEntry[])[]
  ): (request: SeenRequest) => ScriptedAnswer {
    let asked = 0;
    return (request) => {
      const stage = stages[Math.min(asked, stages.length - 1)] ?? missing;
      asked += 1;
      return 'status' in stage ? stage : serviceOf(() => stage)(request);
    };
  }

  it('waits for the environment, for its first snapshot and for a verdict', async () => {
    const { result, requests, log } = await list(
      { wait: '60' },
      // If the page has no current snapshot, the latest one is fetched.
      answersInTurn(missing, [], [], snapshots(1, null), snapshots(2, true)),
    );
    expect(result).toMatchObject({
      outcome: 'compliant',
      count: 2,
      response: snapshots(2),
      conclusion: 'Snapshot #2 of environment prod, the latest, is compliant.',
    });
    expect(reportFacts(result)['Waited']).toBe('3 s, polled 4 times');
    expect(requests).toHaveLength(5);
    expect(log.infos.filter((line) => line.includes('aiting'))).toEqual([
      expect.stringMatching(/^Waiting: environment prod does not exist yet: .*404: Flow not found \(1 min left\)$/u),
      'Waiting: Environment prod has no snapshot yet: nothing has been reported to it (1 min left)',
      expect.stringMatching(
        /^Waiting: Snapshot #1 of environment prod, the latest, has no verdict: no policy .* \(59 s left\)$/u,
      ),
    ]);
  });

  it('keeps the last verdict when the time is up', async () => {
    const { result } = await list({ wait: '60' }, answersInTurn(snapshots(3, null)));
    expect(result).toMatchObject({ outcome: 'incomplete', count: 3 });
    expect(result.conclusion).toMatch(/has no verdict: .*\. Waited 1 min for a final verdict and timed out\.$/u);
  });

  it('names the last verdict if the last poll failed', async () => {
    const busy = { status: 503, body: { message: 'Back soon' } };
    const answers = answersInTurn(snapshots(3, null), busy);
    const failure = await failureOf(list({ wait: '5', retries: '0' }, answers));
    expect(failure).toMatchObject({ kind: 'external' });
    expect(failure.message).toMatch(/503: Back soon\nWaited 5 s .* Last verdict seen: incomplete\.$/u);
  });

  it('ends at once with an error that waiting cannot fix', async () => {
    for (const [status, message] of [
      [403, 'no'],
      [404, 'Not Found'],
      [404, 'Route not found'],
    ] as const) {
      const refused = { status, body: { message } };
      const failure = await failureOf(list({ wait: '60' }, answersInTurn(refused, snapshots(1))));
      expect(failure.message).toMatch(new RegExp(`${status}: ${message}$`, 'u'));
    }
  });

  it('polls only the verdict, and lists all pages once at the end', async () => {
    const { result, requests, written } = await list(
      { page: 'all', wait: '60' },
      answersInTurn(missing, snapshots(150, null), snapshots(150, true)),
    );
    expect(written).toEqual(snapshots(150));
    expect(result).toMatchObject({ outcome: 'compliant', count: 150 });
    expect(requests.map(({ path }) => path)).toEqual([
      ...Array.from({ length: 3 }, () => '/snapshots/acme/prod?page=1&per_page=1'),
      '/snapshots/acme/prod?page=1&per_page=100',
      '/snapshots/acme/prod?page=2&per_page=100',
    ]);
  });
});
