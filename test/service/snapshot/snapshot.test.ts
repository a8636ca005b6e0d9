import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { NumberRange } from '../../../src/service/platform/time-series.ts';
import { type EnvironmentJudgement, unjudged } from '../../../src/service/policy/judge-environment.ts';
import {
  listFingerprints,
  type RunningArtifact,
  toIdentity,
  toRunningArtifacts,
} from '../../../src/service/snapshot/running-artifact.ts';
import { createArtifactVerdict, listAllowed, type Snapshot } from '../../../src/service/snapshot/snapshot.ts';
import { compareArtifacts } from '../../../src/service/snapshot/snapshot-difference.ts';
import { createEvents, findMovement } from '../../../src/service/snapshot/snapshot-events.ts';
import { resolveInterval, toPageRange } from '../../../src/service/snapshot/snapshot-series.ts';
import { pod } from '../../support/environment-samples.ts';

const pods = fc.array(
  fc
    .record({
      name: fc.constantFrom('a', 'b', 'c'),
      namespace: fc.constantFrom('x', 'y'),
      images: fc.dictionary(fc.constantFrom('web', 'api', '__proto__', 'web:2'), fc.constantFrom('aaaaa', 'bbbbb'), {
        maxKeys: 3,
      }),
    })
    .map(({ name, namespace, images }) => pod(name, images, { namespace })),
  { maxLength: 6 },
);
const running = pods.map((artifacts) => toRunningArtifacts(artifacts, ['podName']));
const instancesOf = (artifacts: readonly RunningArtifact[]): number =>
  artifacts.reduce((sum, { instances }) => sum + instances.length, 0);

describe('running artifacts', () => {
  it('do not depend on the order of the report or on duplicates in it', () => {
    fc.assert(
      fc.property(pods, (artifacts) => {
        const once = toRunningArtifacts(artifacts, ['podName']);
        expect(toRunningArtifacts(artifacts.toReversed(), ['podName'])).toEqual(once);
        expect(toRunningArtifacts([...artifacts, ...artifacts], ['podName'])).toEqual(once);
        expect(new Set(once.map(toIdentity)).size).toBe(once.length);
      }),
    );
  });
});

describe('an artifact of a snapshot', () => {
  const web: RunningArtifact = { name: 'web', fingerprint: 'f', instances: [] };
  const judged = (change: Partial<EnvironmentJudgement> = {}): EnvironmentJudgement => ({
    ...{ ...unjudged, compliant: false, policies: [{ name: 'strict', version: 1 }], ...change },
  });
  const reason = { state: 'missing', about: 'web', value: 'not reported' } as const;
  const breaches = [{ policy: 'strict', name: 'web', fingerprint: 'f', reason }];

  it.each([
    [{}, true],
    [{ breaches }, false],
    [{ furtherBreaches: 1 }, false],
    [{ unjudgeable: 'it takes too long' }, false],
    [{ policies: [] }, null],
  ])('of the judgement %j has the verdict %s', (change, verdict) => {
    expect(createArtifactVerdict(judged(change), [])(web)).toBe(verdict);
  });

  it('is allowed in an environment if a member allows it, unless it breaks policies of the environment itself', () => {
    const members = [judged({ allowed: ['f'] })];
    expect([listAllowed(judged(), members), listAllowed(judged({ breaches }), members)]).toEqual([['f'], []]);
  });
});

describe('a difference', () => {
  it('puts every artifact of either snapshot in exactly one part', () => {
    fc.assert(
      fc.property(running, running, (first, second) => {
        const { onlyInFirst, onlyInSecond, changed, notChanged } = compareArtifacts(first, second);
        const parts = [...onlyInFirst, ...onlyInSecond, ...changed, ...notChanged];
        const all = new Set([...first, ...second].map(toIdentity));
        expect(parts.map(({ artifact }) => toIdentity(artifact)).toSorted()).toEqual([...all].toSorted());
        expect(parts.reduce((sum, { instances: [one] }) => sum + one, 0)).toBe(instancesOf(first));
        expect(parts.reduce((sum, { instances: [, other] }) => sum + other, 0)).toBe(instancesOf(second));
        expect(notChanged.every(({ instances: [one, other] }) => one === other)).toBe(true);
        expect(changed.every(({ instances: [one, other] }) => one !== other && one > 0 && other > 0)).toBe(true);
      }),
    );
  });
});

describe('the pages of a series', () => {
  const numbersOf = ({ first, last }: NumberRange): number[] =>
    Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

  it('contain every number once, in order, in either direction', () => {
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.nat(40),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (from, length, size, ascending) => {
          const range = { first: from + 1, last: from + length };
          const pages = Array.from({ length: Math.ceil(length / size) + 1 }, (_, index) =>
            numbersOf(toPageRange(range, { offset: index * size, limit: size, ascending })),
          );
          const walked = pages.flatMap((page) => (ascending ? page : page.toReversed()));
          expect(walked).toEqual(ascending ? numbersOf(range) : numbersOf(range).toReversed());
          expect(pages.at(-1)).toEqual([]);
        },
      ),
    );
  });

  it('stay within the series, whatever the interval', async () => {
    const selector = fc.oneof(
      fc.constant({ kind: 'latest' } as const),
      fc.record({ kind: fc.constant('number' as const), number: fc.integer({ min: 1, max: 50 }) }),
      fc.record({ kind: fc.constant('behind' as const), count: fc.nat(50) }),
      fc.record({ kind: fc.constant('time' as const), time: fc.nat(50) }),
      fc.record({ kind: fc.constant('ago' as const), seconds: fc.nat(50) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(30), selector, selector, async (latest, from, to) => {
        const series = {
          length: latest,
          listStepsBack: () => Promise.resolve([]),
          listTimes: (numbers: readonly number[]) => Promise.resolve(numbers),
        };
        const { first, last } = await resolveInterval({ from, to }, series, 25);
        expect(first).toBeGreaterThanOrEqual(1);
        expect(last).toBeLessThanOrEqual(latest);
      }),
    );
  });
});

describe('the events of a snapshot', () => {
  const snapshot = (change: Partial<Snapshot> = {}): Snapshot => ({
    org: 'acme',
    environment: 'prod',
    number: 2,
    from: 9.5,
    artifacts: [],
    judgement: unjudged,
    ...change,
  });
  const triggersBetween = (previous: Snapshot | undefined, next: Snapshot): string[] =>
    createEvents(previous, next, () => undefined).map(({ trigger }) => trigger);

  it('never report scaling, and report each artifact either as started or as exited', () => {
    fc.assert(
      fc.property(running, running, (before, after) => {
        const { started, exited } = findMovement(before, after);
        const known = new Set(listFingerprints(before));
        expect(listFingerprints(after).filter((fingerprint) => !known.has(fingerprint))).toEqual(started);
        expect(started.filter((fingerprint) => exited.includes(fingerprint))).toEqual([]);
        expect(triggersBetween(snapshot({ artifacts: before }), snapshot({ artifacts: after }))).toHaveLength(
          started.length + exited.length,
        );
      }),
    );
  });
});
