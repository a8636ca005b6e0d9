import { describe, expect, it } from '@jest/globals';
import { listAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import {
  reportFacts,
  performOperation,
  type PerformedOperation,
  type ScriptedAnswer,
} from '../../support/perform-operation.ts';

const good = { status: 200, body: anArtifact() };
const open = { status: 200, body: anArtifact({ state: 'INCOMPLETE' }) };
const bad = { status: 200, body: anArtifact({ state: 'NON-COMPLIANT' }) };
const busy = { status: 503, body: { message: 'Back soon' } };

const inputs = { flow: 'web', fingerprint: fingerprintOf('a'), retries: '0' };

describe('get-artifact with an environment', () => {
  const snapshot = { index: 7, from: 1_767_323_045, to: 0, compliant: true };
  const entry = { fingerprint: fingerprintOf('a') };
  const nothing = { artifacts: [] };

  interface There {
    readonly artifact?: ScriptedAnswer;
    readonly snapshots?: ScriptedAnswer;
    readonly shown?: readonly { readonly fingerprint: string }[];
  }

  /** The service's answers to the three requests. */
  function answering({ artifact = good, snapshots = { status: 200, body: [snapshot] }, shown = [entry] }: There) {
    return ({ path }: { readonly path: string }): ScriptedAnswer => {
      if (path.startsWith('/artifacts/')) return artifact;
      if (path.startsWith('/snapshots/')) return snapshots;
      const difference = {
        snappish1: nothing,
        snappish2: nothing,
        changed: nothing,
        'not-changed': { artifacts: shown },
      };
      return { status: 200, body: difference };
    };
  }

  function there(state: There, more = {}): Promise<PerformedOperation> {
    return performOperation('get-artifact', { ...inputs, environment: 'prod', ...more }, answering(state));
  }

  const list = (compliant: boolean | null): ScriptedAnswer => ({ status: 200, body: [{ ...snapshot, compliant }] });

  it('fetches the artifact, then the latest snapshot, and then the content of that snapshot', async () => {
    const { requests } = await there({});
    expect(requests.map(({ method, path }) => `${method} ${decodeURIComponent(path)}`)).toEqual([
      `GET /artifacts/acme/web/fingerprint/${fingerprintOf('a')}`,
      'GET /snapshots/acme/prod?page=1&per_page=1',
      'GET /env-diff/acme?snappish1=prod#7&snappish2=prod#7',
    ]);
  });

  it.each([
    ['compliant', good, true, 'compliant', 'COMPLIANT', 'is compliant.'],
    [
      'non-compliant',
      good,
      false,
      'non-compliant',
      'NON-COMPLIANT',
      'is not compliant; that verdict covers everything that runs there.',
    ],
    [
      'without a verdict',
      good,
      null,
      'incomplete',
      'INCOMPLETE',
      'has no verdict; attach a policy to the environment to have it judged.',
    ],
    ['compliant, and its own evidence is missing', open, true, 'incomplete', 'INCOMPLETE', 'is compliant.'],
    [
      'without a verdict, and itself bad',
      bad,
      null,
      'non-compliant',
      'NON-COMPLIANT',
      'has no verdict; attach a policy to the environment to have it judged.',
    ],
  ] as const)(
    'takes the worse of the two where it runs in a snapshot that is %s',
    async (_what, artifact, compliant, outcome, state, words) => {
      const { result } = await there({ artifact, snapshots: list(compliant) });
      expect(result).toMatchObject({ outcome, state });
      expect(result.conclusion).toContain(`It runs in environment prod, whose latest snapshot #7 ${words}`);
      expect(reportFacts(result)).toMatchObject({ Environment: 'prod', Snapshot: '#7', 'Runs there': 'yes' });
      expect(result.response).toMatchObject({
        fingerprint: fingerprintOf('a'),
        verdict: outcome,
        artifact: artifact.body,
        environment: { name: 'prod', snapshot: { index: 7, compliant }, runs: true },
      });
    },
  );

  it('has no verdict from a snapshot that was not judged, though `compliant` is false', async () => {
    const snapshots = { status: 200, body: [{ ...snapshot, compliant: false, judged: false }] };
    const { result } = await there({ snapshots });
    expect(result).toMatchObject({ outcome: 'incomplete', state: 'INCOMPLETE' });
    expect(result.conclusion).toContain('has no verdict; attach a policy to the environment to have it judged.');
    expect(reportFacts(result)['Snapshot compliant']).toBe('⏳ unknown');
  });

  it('judges by its own state an artifact that does not run there, whatever the environment is, and says so', async () => {
    for (const compliant of [true, false, null]) {
      const { result } = await there({ shown: [{ fingerprint: fingerprintOf('b') }], snapshots: list(compliant) });
      expect(result).toMatchObject({ outcome: 'compliant', state: 'COMPLIANT' });
      expect(result.conclusion).toContain('It does not run in environment prod (snapshot #7).');
      expect(reportFacts(result)['Runs there']).toBe('no');
    }
  });

  it('judges by its own state if nothing has been reported there yet', async () => {
    const { result, requests } = await there({ snapshots: { status: 200, body: [] } });
    expect(result.outcome).toBe('compliant');
    expect(result.conclusion).toContain('It does not run in environment prod: nothing has been reported there yet.');
    expect(reportFacts(result)).toMatchObject({ Snapshot: 'none', 'Runs there': 'no' });
    expect(requests).toHaveLength(2);
  });

  it('is incomplete if the service shows no current snapshot', async () => {
    const { result } = await there({ snapshots: { status: 200, body: [{ ...snapshot, to: 1_767_323_046 }] } });
    expect(result.outcome).toBe('incomplete');
    expect(result.conclusion).toContain('the latest snapshot #7 is not current');
    expect(reportFacts(result)['Runs there']).toBe('unknown');
  });

  it('also uses the artifact’s own answer about this snapshot', async () => {
    const running = (index: number): ScriptedAnswer => ({
      status: 200,
      body: anArtifact({ running: [{ environment_name: 'prod', snapshot_index: index }] }),
    });
    const snapshots = list(false);
    expect((await there({ shown: [], snapshots, artifact: running(7) })).result.outcome).toBe('non-compliant');
    expect((await there({ shown: [], snapshots, artifact: running(6) })).result.outcome).toBe('compliant');
  });

  it('fails if the environment does not exist, and still reports the artifact', async () => {
    const { result } = await there({ snapshots: { status: 404, body: { message: 'Flow not found' } } });
    expect(result).toMatchObject({
      outcome: 'error',
      state: undefined,
      failure: { kind: 'user' },
      response: {
        artifact: good.body,
        environment: { name: 'prod', error: expect.stringContaining('Flow not found') },
      },
    });
    expect(result.conclusion).toMatch(
      /is COMPLIANT\. .* Environment prod could not be judged: .*404: Flow not found\.$/u,
    );
  });

  it('waits for the verdict of the environment, and fetches the artifact again', async () => {
    let lists = 0;
    const { result, requests, log } = await performOperation(
      'get-artifact',
      { ...inputs, environment: 'prod', wait: '60' },
      (request) => {
        if (request.path.startsWith('/snapshots/')) lists += 1;
        return answering({ snapshots: list(lists < 3 ? null : false) })(request);
      },
    );
    expect(result.outcome).toBe('non-compliant');
    expect(requests).toHaveLength(9);
    expect(log.text()).toContain(
      'Waiting: Artifact web.tar.gz aaaaaaaaaaaa: It runs in environment prod, whose latest snapshot #7 has no verdict',
    );
  });

  it('waits for an environment that does not exist yet', async () => {
    let lists = 0;
    const { result, requests } = await performOperation(
      'get-artifact',
      { ...inputs, environment: 'prod', wait: '60' },
      (request) => {
        if (request.path.startsWith('/snapshots/')) lists += 1;
        return answering(lists < 2 ? { snapshots: { status: 404, body: { message: 'Flow not found' } } } : {})(request);
      },
    );
    expect(result.outcome).toBe('compliant');
    // The state of the artifact before the environment appeared no longer counts.
    expect(requests.filter(({ path }) => path.startsWith('/artifacts/'))).toHaveLength(2);
  });

  it('does not wait for an environment if the artifact itself is non-compliant, because that is decisive', async () => {
    const missing = { status: 404, body: { message: 'Flow not found' } };
    const { result, requests } = await there({ artifact: bad, snapshots: missing }, { wait: '60' });
    expect(requests).toHaveLength(2);
    expect(result).toMatchObject({ outcome: 'non-compliant', state: 'NON-COMPLIANT' });
    expect(result.conclusion).toMatch(
      /is NON-COMPLIANT\. .* Environment prod could not be judged: .*404: Flow not found\.$/u,
    );
  });

  it('shows in the one table which of several runs there, and lets the worst decide', async () => {
    const { result } = await performOperation(
      'get-artifact',
      { ...inputs, fingerprint: `${fingerprintOf('a')}\n${fingerprintOf('b')}`, environment: 'prod' },
      (request) => {
        const fingerprint = fingerprintOf(request.path.includes(fingerprintOf('a')) ? 'a' : 'b');
        return answering({ artifact: { status: 200, body: anArtifact({ fingerprint }) }, snapshots: list(false) })(
          request,
        );
      },
    );
    expect(result).toMatchObject({ outcome: 'non-compliant', state: 'NON-COMPLIANT' });
    expect(result.conclusion).toContain(
      '1 of 2 artifacts in flow web is not compliant: Artifact web.tar.gz aaaaaaaaaaaa is COMPLIANT',
    );
    expect(result.report.evidence?.table.rows.map((row) => row.at(-1)?.text)).toEqual(['❌ yes', 'no']);
    expect(listAt(result, 'response').map((one) => valueAt(one, 'environment', 'runs'))).toEqual([true, false]);
  });

  it('ends as a service error if the last poll of the environment fails, and names the last verdict before', async () => {
    let lists = 0;
    const { result } = await performOperation(
      'get-artifact',
      { ...inputs, environment: 'prod', wait: '5' },
      (request) => {
        if (request.path.startsWith('/snapshots/')) lists += 1;
        return answering({ snapshots: lists < 2 ? list(null) : busy })(request);
      },
    );
    expect(result).toMatchObject({ outcome: 'error', failure: { kind: 'external' } });
    expect(result.conclusion).toMatch(
      /503: Back soon\. Last seen: Snapshot #7 of environment prod, the latest, has no verdict; .*\. Waited 5 s .*\.$/u,
    );
  });
});
