import { describe, expect, it } from '@jest/globals';
import { listAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import { failureOf } from '../../support/failures.ts';
import {
  answersInTurn,
  type PerformedOperation,
  performOperation,
  reportFacts,
} from '../../support/perform-operation.ts';
import { userErrorOf } from '../../support/user-error.ts';

const missing = 'Required by the template of the flow and not reported: sonar.';
const open = { status: 200, body: anArtifact({ state: 'INCOMPLETE', state_info: missing }) };
const good = { status: 200, body: anArtifact() };
const bad = { status: 200, body: anArtifact({ state: 'NON-COMPLIANT', state_info: 'Not compliant: sonar.' }) };
// Names all that the tests ask for.
const asked = ['a', 'b', 'c'].map((digit) => fingerprintOf(digit)).join(', ');
const unknown = { status: 404, body: { message: `Artifact with fingerprint '${asked}' does not exist in flow 'web'` } };
const busy = { status: 503, body: { message: 'Back soon' } };

const inputs = { flow: 'web', fingerprint: fingerprintOf('a'), retries: '0' };

/** Runs the operation with these inputs; the service returns the answers in order and repeats the last one. */
function lookUp(
  more: Readonly<Record<string, string>>,
  ...answers: Parameters<typeof answersInTurn>
): Promise<PerformedOperation> {
  return performOperation('get-artifact', { ...inputs, ...more }, answersInTurn(...answers));
}

it('refuses an environment, and names the operation that judges by its policies', async () => {
  const mistake = await userErrorOf(() => lookUp({ environment: 'prod' }, good));
  expect(mistake.problems).toEqual([
    {
      input: 'environment',
      what: '`environment` is not an input of get-artifact, which judges an artifact by its own state only',
      remedy: expect.stringMatching(/^Use `assert-artifact`, .* `trail-compliance` or `attestations`/u),
    },
  ]);
});

describe('get-artifact with a service that structures its answers differently', () => {
  it('checks the fields that decide, and passes the rest on unchanged', async () => {
    const body = {
      ...anArtifact(),
      ...{ running: { prod: 3 }, exited: ['staging'], history: [{ what: 'built' }], evidence: ['sonar'] },
      ...{ git_commit_info: { sha1: 7 }, template: 'sonar', build_url: 5, created_at: null, new: { in: 2027 } },
    };
    const { result } = await lookUp({}, { status: 203, body });
    expect(result.outcome).toBe('compliant');
    expect(JSON.parse(JSON.stringify(result.response))).toEqual(body);
  });
});

describe('get-artifact that waits', () => {
  it('polls until the artifact is compliant, and logs what it waited for', async () => {
    const { result, requests, log } = await lookUp({ wait: '60' }, unknown, open, open, good);
    expect(result).toMatchObject({
      outcome: 'compliant',
      conclusion: `Artifact web.tar.gz aaaaaaaaaaaa is COMPLIANT in flow web. All evidence is compliant: sonar.`,
    });
    expect(reportFacts(result)['Waited']).toBe('3 s, polled 4 times');
    expect(requests).toHaveLength(4);
    expect(log.infos.filter((line) => line.includes('aiting'))).toEqual([
      'Waiting: Artifact aaaaaaaaaaaa is INCOMPLETE: not reported to flow web (1 min left)',
      `Waiting: Artifact web.tar.gz aaaaaaaaaaaa is INCOMPLETE: ${missing.slice(0, -1)} (1 min left)`,
    ]);
  });

  it('logs the verdict on an artifact unless the previous poll had the same', async () => {
    const { log } = await lookUp({ wait: '60' }, unknown, open, open, busy, open, good);
    expect(log.infos.filter((line) => line.startsWith('Artifact '))).toEqual([
      'Artifact aaaaaaaaaaaa: INCOMPLETE',
      'Artifact web.tar.gz aaaaaaaaaaaa: INCOMPLETE',
      'Artifact web.tar.gz aaaaaaaaaaaa: COMPLIANT',
    ]);
  });

  it('ends with the first verdict that is final, good or bad', async () => {
    const { result, requests } = await lookUp({ wait: '60' }, open, bad, good);
    expect(result.outcome).toBe('non-compliant');
    expect(requests).toHaveLength(2);
  });

  it('keeps the last verdict when the time is up', async () => {
    const { result } = await lookUp({ wait: '60' }, open);
    expect(result).toMatchObject({
      outcome: 'incomplete',
      state: 'INCOMPLETE',
      conclusion: `Artifact web.tar.gz aaaaaaaaaaaa is INCOMPLETE in flow web: ${missing} Waited 1 min for a final verdict and timed out.`,
    });
  });

  it('does not wait without `wait`', async () => {
    const { result, requests } = await lookUp({}, open, good);
    expect(result.outcome).toBe('incomplete');
    expect(result.conclusion).not.toContain('Waited');
    expect(requests).toHaveLength(1);
  });

  it('is incomplete, with the waiting time, if the artifact was never reported', async () => {
    const { result } = await lookUp({ wait: '60' }, unknown);
    expect(result).toMatchObject({
      outcome: 'incomplete',
      conclusion:
        'Artifact aaaaaaaaaaaa is INCOMPLETE in flow web: not reported to flow web within 60 s. Waited 1 min for a final verdict and timed out.',
      report: { reasons: [{ state: 'missing', value: 'not reported to flow web within 60 s' }] },
    });
  });

  it('waits for the flow, but ends as an error if it was never created', async () => {
    const noFlow = { status: 404, body: { message: 'Flow not found' } };
    const { result, log } = await lookUp({ wait: '60' }, noFlow, unknown, good);
    expect(result.outcome).toBe('compliant');
    expect(log.text()).toMatch(/Waiting: Artifact aaaaaaaaaaaa does not exist yet: .*404: Flow not found/u);
    const failure = await failureOf(lookUp({ wait: '5' }, noFlow));
    expect(failure).toMatchObject({ kind: 'user', remedy: expect.stringContaining('`create-flow`') });
    expect(failure.message).toMatch(/404: Flow not found\nWaited 5 s for a final verdict and timed out\.$/u);
  });

  it('polls again after a service error', async () => {
    const { result, log } = await lookUp({ wait: '60' }, open, busy, good);
    expect(result.outcome).toBe('compliant');
    expect(log.text()).toContain('Waiting: Artifact web.tar.gz aaaaaaaaaaaa could not be fetched: ');
  });

  it('respects Retry-After, and still polls when the time is up', async () => {
    const limited = { status: 429, body: { message: 'Slow down' }, headers: { 'retry-after': '25' } };
    const impatient = await lookUp({ wait: '60' }, limited, good);
    expect(reportFacts(impatient.result)['Waited']).toBe('25 s, polled 2 times');
    const asked: string[] = [];
    const never = performOperation('get-artifact', { ...inputs, wait: '12' }, ({ path }) => {
      asked.push(path);
      return limited;
    });
    expect((await failureOf(never)).message).toContain('429: Slow down\nWaited 12 s');
    expect(asked).toHaveLength(2);
  });

  it('ends as a service error if the last poll failed, and names the last verdict before that', async () => {
    const failure = await failureOf(lookUp({ wait: '5' }, open, busy));
    expect(failure.kind).toBe('external');
    expect(failure.message).toMatch(
      /503: Back soon\nWaited 5 s for a final verdict and timed out\. Last verdict seen: INCOMPLETE: Required by .*: sonar\.$/u,
    );
  });

  it.each([
    ['a bad request', { status: 400, body: { message: 'no' } }],
    ['a refused key', { status: 401, body: { message: 'no' } }],
    ['a missing permission', { status: 403, body: { message: 'no' } }],
    ['a redirect', { status: 302, body: {} }],
    ['a 404 that is not the service’s', { status: 404, body: 'nothing here' }],
    ['a 404 of a router', { status: 404, body: { message: 'Route not found' } }],
    ['a 404 of another API', { status: 404, body: { message: 'Not Found' } }],
    ['a 404 of the service for a wrong path', { status: 404, body: { message: 'There is nothing at GET /api/v3' } }],
    ['an unknown state', { status: 200, body: anArtifact({ state: 'FROZEN' }) }],
    ['another artifact', { status: 200, body: anArtifact({ fingerprint: fingerprintOf('b') }) }],
    ['another form', { status: 200, body: 'OK' }],
  ])('ends at once with %s', async (_what, answer) => {
    let asked = 0;
    await failureOf(
      performOperation('get-artifact', { ...inputs, wait: '60' }, () => {
        asked += 1;
        return asked === 1 ? open : answer;
      }),
    );
    expect(asked).toBe(2);
  });

  it('checks the seconds before anything is sent', async () => {
    const mistake = await userErrorOf(() => lookUp({ wait: '21601' }, good));
    expect(mistake.problems.map(({ input }) => input)).toEqual(['wait']);
  });
});

describe('get-artifact of several artifacts', () => {
  const digits = ['a', 'b', 'c', 'd', 'e', 'f', '0', '1', '2', '3', '4', '5'];
  const several = { ...inputs, fingerprint: digits.map(fingerprintOf).join('\n') };
  const digitOf = (path: string): string => (/fingerprint\/(.)/u.exec(path) ?? [])[1] ?? '';

  it('keeps the order of the queries, and polls all of them until all are final', async () => {
    const asked: string[] = [];
    const { result, log } = await performOperation('get-artifact', { ...several, wait: '60' }, ({ path }) => {
      const digit = digitOf(path);
      asked.push(digit);
      const isOpen = ['b', 'e'].includes(digit) && asked.filter((one) => one === digit).length < 3;
      return { status: 200, body: { ...(isOpen ? open : good).body, fingerprint: fingerprintOf(digit) } };
    });
    expect(asked.slice(0, 12)).toEqual(digits);
    expect(asked.slice(12)).toEqual([...digits, ...digits]);
    expect(result).toMatchObject({
      outcome: 'compliant',
      state: 'COMPLIANT',
      fingerprint: digits.map(fingerprintOf).join('\n'),
    });
    expect(listAt(result, 'response').map((entry) => valueAt(entry, 'verdict'))).toEqual(digits.map(() => 'compliant'));
    expect(log.infos.filter((line) => line.startsWith('Waiting'))).toHaveLength(2);
  });

  it('stops waiting when a non-compliant artifact decides', async () => {
    const { result, requests } = await performOperation('get-artifact', { ...several, wait: '60' }, ({ path }) => {
      const digit = digitOf(path);
      return { status: 200, body: { ...(digit === 'f' ? bad : open).body, fingerprint: fingerprintOf(digit) } };
    });
    expect(result).toMatchObject({ outcome: 'non-compliant', state: 'NON-COMPLIANT' });
    expect(requests).toHaveLength(digits.length);
    expect(result.conclusion).not.toContain('Waited');
  });

  const two = { ...inputs, fingerprint: `${fingerprintOf('a')}\n${fingerprintOf('b')}` };

  it('passes only if all are compliant in the same poll', async () => {
    let rounds = 0;
    const { result } = await performOperation('get-artifact', { ...two, wait: '60' }, ({ path }) => {
      if (digitOf(path) === 'a') {
        rounds += 1;
        return rounds === 1 ? good : bad;
      }
      return rounds === 1 ? unknown : { status: 200, body: { ...good.body, fingerprint: fingerprintOf('b') } };
    });
    expect(rounds).toBe(2);
    expect(result).toMatchObject({ outcome: 'non-compliant', state: 'NON-COMPLIANT' });
  });

  it.each([
    ['that nobody reported', unknown, 'bbbbbbbbbbbb: not reported to flow web'],
    [
      'that it may not see',
      { status: 403, body: { message: 'No such right' } },
      'bbbbbbbbbbbb: could not be judged: get-artifact: GET',
    ],
  ])('does not wait for an artifact %s if another is non-compliant, and names both', async (_, answer, words) => {
    const { result, requests } = await performOperation('get-artifact', { ...two, wait: '60' }, ({ path }) =>
      digitOf(path) === 'a' ? bad : answer,
    );
    expect(requests).toHaveLength(2);
    expect(result).toMatchObject({ outcome: 'non-compliant', state: 'NON-COMPLIANT' });
    expect(result.conclusion).toContain('web.tar.gz: Not compliant: sonar');
    expect(result.conclusion).toContain(words);
    expect(result.conclusion).not.toContain('Waited');
  });

  it('names the last verdict of an artifact whose last poll failed', async () => {
    let rounds = 0;
    const { result } = await performOperation('get-artifact', { ...two, wait: '5' }, ({ path }) => {
      if (digitOf(path) === 'a') return good;
      rounds += 1;
      return rounds === 1 ? { status: 200, body: { ...open.body, fingerprint: fingerprintOf('b') } } : busy;
    });
    expect(result).toMatchObject({ outcome: 'error', failure: { kind: 'external' } });
    expect(result.conclusion).toMatch(
      /b{12}: could not be judged: .*503: Back soon \(last verdict seen: INCOMPLETE: Required by/u,
    );
  });
});
