import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ListedAttestation } from '../../src/contract/attestation-list.ts';
import { detectOrder, newestFirst } from '../../src/operations/list-attestations/attestation-order.ts';
import { AttestationTally } from '../../src/operations/list-attestations/attestation-tally.ts';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { pod, reportPods, saveEnvironment, savePolicy } from '../support/environment-samples.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call } from '../support/service-call.ts';
import { attest, fingerprintOf, report, sampleAttestation, saveFlow, stateOf } from '../support/service-samples.ts';

const start = 1_700_000_000;
/** Unix seconds. */
let rightTime = start;
/** How far the wrong clock is ahead, in seconds. */
let deviation = 0;
let right: TestService;
let wrong: TestService;

beforeAll(async () => {
  right = await startTestService({ sources: { now: () => rightTime * 1000 } });
  wrong = await startTestService({ sources: { now: () => (rightTime + deviation) * 1000 } });
});
afterAll(async () => {
  await Promise.all([right.stop(), wrong.stop()]);
});

type Step =
  | { readonly kind: 'attest'; readonly trail: string; readonly status: string }
  | { readonly kind: 'deploy'; readonly image: string }
  | { readonly kind: 'set clock'; readonly deviation: number };

const image = fc.constantFrom('aaaaa', 'bbbbb');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('attest' as const),
    trail: fc.constantFrom('main', 'other'),
    status: fc.constantFrom('OK', 'ERROR'),
  }),
  fc.record({ kind: fc.constant('deploy' as const), image }),
  fc.record({
    kind: fc.constant('set clock' as const),
    // A clock that is wrong by less than the whole series lasts (55 s) can show times that nothing contradicts.
    deviation: fc.oneof(fc.constant(0), fc.integer({ min: -100_000, max: -60 }), fc.integer({ min: 60, max: 100_000 })),
  }),
);

async function perform(service: TestService, step: Step): Promise<void> {
  if (step.kind === 'attest') {
    const answer = await attest(service, sampleAttestation(step.status), step.trail);
    expect(answer.status).toBe(201);
  } else if (step.kind === 'deploy') {
    expect((await reportPods(service, 'prod', pod('web-1', { web: step.image }))).status).toBeLessThan(300);
  }
}

async function prepare(service: TestService): Promise<void> {
  await saveFlow(service);
  await savePolicy(service, 'strict');
  await saveEnvironment(service, 'prod', { policies: ['strict'] });
  for (const digits of ['aaaaa', 'bbbbb']) await report(service, { fingerprint: fingerprintOf(digits) });
}

/** All that gates ask: the verdicts, and which snapshots and attestations they rest on. */
async function verdictsOf(service: TestService): Promise<unknown> {
  const listed = async (query: string): Promise<unknown> => {
    const answer = await call(service, { path: `/attestations/${service.org}/web?per_page=100&${query}` });
    const data = valueAt(answer.body, 'data') as readonly ListedAttestation[];
    const tally = new AttestationTally();
    tally.add(newestFirst(data, detectOrder(data)), detectOrder(data));
    return [data.map(({ sequence }) => sequence), tally.verdict, tally.words];
  };
  const selected = async (expression: string): Promise<unknown> => {
    const query = new URLSearchParams({ snappish1: expression, snappish2: 'prod' }).toString();
    return valueAt((await call(service, { path: `/env-diff/${service.org}?${query}` })).body, 'snappish1');
  };
  const snapshots = await call(service, { path: `/snapshots/${service.org}/prod?interval=@{1.second.ago}..NOW` });
  return {
    all: await listed(''),
    untilNow: await listed(`from_timestamp=0&to_timestamp=${rightTime}`),
    untilJustNow: await listed(`to_timestamp=${rightTime - 1}`),
    states: [await stateOf(service, fingerprintOf('aaaaa')), await stateOf(service, fingerprintOf('bbbbb'))],
    latest: await selected('prod'),
    justNow: await selected('prod@{1.second.ago}'),
    since: (snapshots.body as { index: number; compliant: unknown }[]).map(({ index, compliant }) => [
      index,
      compliant,
    ]),
  };
}

describe('a clock that was wrong for a while', () => {
  it('changes no verdict after it is right again', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
        runs += 1;
        const org = `org-${runs}`;
        const [one, other] = await Promise.all(
          [right, wrong].map(async (service) => ({ ...service, org, apiKey: await service.createOrganization(org) })),
        );
        if (one === undefined || other === undefined) throw new Error('two services are compared');
        await Promise.all([prepare(one), prepare(other)]);
        for (const next of steps) {
          rightTime += 5;
          if (next.kind === 'set clock') ({ deviation } = next);
          await Promise.all([perform(one, next), perform(other, next)]);
        }
        deviation = 0;
        rightTime += 5;
        expect(await verdictsOf(other)).toEqual(await verdictsOf(one));
      }),
      { numRuns: 25, interruptAfterTimeLimit: 15_000 },
    );
    expect(wrong.errors).toEqual([]);
  });
});
