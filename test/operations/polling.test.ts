import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ServiceError } from '../../src/client/service-error.ts';
import { getDefaultOrg } from '../../src/contract/user.ts';
import type { CallContext } from '../../src/http/send-with-retry.ts';
import {
  type Poll,
  pollDelay,
  pollFacts,
  pollUntilFinal,
  settle,
  timeoutNotice,
} from '../../src/operations/polling.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { ExternalError } from '../../src/runtime/failure.ts';
import { answeringTransport, jsonAnswer } from '../support/answering-transport.ts';
import { openTestClient } from '../support/client.ts';
import { instantClock, manualClock, startOfTime } from '../support/clock.ts';
import { type CollectingLog, collectingLog } from '../support/log.ts';

const luck = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

interface Setting {
  readonly context: Parameters<typeof pollUntilFinal>[2];
  readonly log: CollectingLog;
}

function setting(clock: Clock, other: Partial<CallContext> = {}): Setting {
  const log = collectingLog();
  const { client } = openTestClient('http://127.0.0.1:9/api/v2');
  const transport = answeringTransport(() => jsonAnswer(500, {}));
  const retryPolicy = { requestTimeout: 30_000, retries: 0 };
  return { log, context: { client, call: { clock, log, random: () => 0, transport, retryPolicy, ...other } } };
}

/** A poll whose answers come from the list, the last one repeatedly; an answer is the list of what is pending. */
function scripted(
  clock: Clock,
  ...answers: readonly (readonly string[])[]
): Poll<readonly string[]> & { readonly times: number[] } {
  const times: number[] = [];
  return {
    times,
    fetch() {
      times.push((clock.now() - startOfTime) / 1000);
      return Promise.resolve(answers[times.length - 1] ?? answers.at(-1) ?? []);
    },
    pending: (answer) => answer,
    failures: () => [],
  };
}

const limited = {
  operation: 'get-artifact',
  method: 'GET',
  path: '/artifacts/acme/web/fingerprint/abcde',
  status: 429,
  serviceMessage: 'Too many requests',
  fieldErrors: {},
  bodyDescription: undefined,
  attempts: 1,
};

describe('pollDelay', () => {
  it('never exceeds the time left or 15 seconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 21_600_000 }),
        luck,
        (asked, left, chance) => {
          const pause = pollDelay(asked, left, chance, 0);
          expect(pause).toBeGreaterThan(0);
          expect(pause).toBeLessThanOrEqual(Math.min(left, 15_000));
        },
      ),
    );
  });

  it('respects a longer Retry-After if there is time', () => {
    expect(pollDelay(1, 60_000, 0, 30_000)).toBe(30_000);
    expect(pollDelay(1, 60_000, 0, 90_000)).toBe(60_000);
    expect(pollDelay(9, 60_000, 0, 2000)).toBe(15_000);
  });

  it('starts within half a second and never decreases while there is time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), luck, (asked, chance) => {
        expect(pollDelay(1, 21_600_000, chance, 0)).toBeLessThanOrEqual(500);
        expect(pollDelay(asked + 1, 21_600_000, chance, 0)).toBeGreaterThanOrEqual(
          pollDelay(asked, 21_600_000, chance, 0),
        );
      }),
    );
  });
});

describe('pollUntilFinal', () => {
  it('polls once without a waiting time, whatever the answer is', async () => {
    const clock = instantClock();
    const poll = scripted(clock, ['sonar']);
    const { context, log } = setting(clock);
    await expect(pollUntilFinal(poll, 0, context)).resolves.toEqual({
      answer: ['sonar'],
      timing: { polls: 1, milliseconds: 0, timedOut: false },
    });
    expect(log.text()).toBe('');
  });

  it('ends with the first final answer', async () => {
    const clock = instantClock();
    const poll = scripted(clock, ['sonar'], ['sonar'], []);
    const { answer, timing } = await pollUntilFinal(poll, 600, setting(clock).context);
    expect(answer).toEqual([]);
    expect(timing).toEqual({ polls: 3, milliseconds: 1500, timedOut: false });
  });

  it('polls for the last time when the time is up, and keeps that answer', async () => {
    const clock = instantClock();
    const poll = scripted(clock, ['sonar']);
    const { timing } = await pollUntilFinal(poll, 60, setting(clock).context);
    expect(poll.times).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5, 30.5, 45.5, 60]);
    expect(timing).toEqual({ polls: 9, milliseconds: 60_000, timedOut: true });
  });

  it('polls at increasing times, the last time exactly when the time is up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 21_600 }), luck, async (seconds, chance) => {
        const clock = instantClock();
        const poll = scripted(clock, ['sonar']);
        await pollUntilFinal(poll, seconds, setting(clock, { random: () => chance }).context);
        expect(poll.times.at(-1)).toBe(seconds);
        expect(poll.times.every((time, at) => at === 0 || time > (poll.times[at - 1] ?? 0))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('lets no request retry beyond the waiting time', async () => {
    const clock = instantClock();
    // Nothing listens there.
    const opened = openTestClient('http://127.0.0.1:9/api/v2', { clock, retryPolicy: { retries: 100 } });
    const { context } = setting(clock);
    const poll: Poll<undefined> = {
      fetch: async (limitedClient) => {
        await limitedClient.call(getDefaultOrg, { parameters: {} });
        return undefined;
      },
      pending: () => ['a verdict'],
      failures: () => [],
    };
    await expect(pollUntilFinal(poll, 20, { ...context, client: opened.client })).rejects.toThrow('ECONNREFUSED');
    expect(clock.now() - startOfTime).toBeLessThanOrEqual(20_000);
    await opened.close();
  });

  it('waits for the longest Retry-After of several failures', async () => {
    const clock = instantClock();
    const failures = [4000, 20_000, undefined].map((retryAfter) => new ServiceError({ ...limited, retryAfter }));
    const poll = { ...scripted(clock, ['a', 'b'], []), failures: () => failures };
    await pollUntilFinal(poll, 60, setting(clock).context);
    expect(poll.times).toEqual([0, 20]);
  });

  it('logs what is pending when that changes', async () => {
    const clock = instantClock();
    const poll = scripted(clock, ['sonar', 'unit'], ['sonar', 'unit'], ['sonar'], ['sonar', 'scan'], []);
    const { context, log } = setting(clock);
    await pollUntilFinal(poll, 60, context);
    expect(log.infos).toEqual([
      'Waiting: sonar (1 min left)',
      'Waiting: unit (1 min left)',
      'Waiting: scan (57 s left)',
    ]);
  });

  it('logs once a minute that it still waits, counted from the last line', async () => {
    const clock = instantClock();
    const still = Array.from({ length: 9 }, () => ['sonar']);
    const poll = scripted(clock, ...still, ['sonar', 'scan']);
    const { context, log } = setting(clock);
    await pollUntilFinal(poll, 300, context);
    const begun = poll.times.slice(0, 10);
    expect(begun).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5, 30.5, 45.5, 60.5, 75.5]);
    expect(log.infos).toEqual([
      'Waiting: sonar (5 min left)',
      'Still waiting, 4 min left',
      'Waiting: scan (3 min 45 s left)',
      'Still waiting, 2 min 45 s left',
      'Still waiting, 1 min 45 s left',
      'Still waiting, 45 s left',
    ]);
  });

  it('ends at once if the step is cancelled, names what was pending, and leaves no timer', async () => {
    const clock = manualClock();
    const cancelled = new AbortController();
    const poll = scripted(clock, ['sonar']);
    const asking = pollUntilFinal(poll, 600, setting(clock, { signal: cancelled.signal }).context);
    const ended = asking.catch((thrown: unknown) => thrown);
    await clock.advance(0);
    const reason = new ExternalError({ what: 'the step was cancelled', remedy: 'Run it again.' });
    cancelled.abort(reason);
    await expect(ended).resolves.toMatchObject({
      kind: 'external',
      message: 'the step was cancelled\nLast seen: sonar.',
      remedy: 'Run it again.',
      cause: reason,
    });
    expect(clock.pending()).toBe(0);
    expect(poll.times).toEqual([0]);
  });
});

describe('settle', () => {
  const failure = new ExternalError({ what: 'no answer', remedy: 'Try again.' });
  const fail = (): Promise<string> => Promise.reject(failure);

  it('keeps a failure, with the last value before it', async () => {
    const seen = await settle(() => Promise.resolve('a verdict'), undefined, undefined);
    const first = await settle(fail, seen, undefined);
    const second = await settle(fail, first, undefined);
    expect([seen, first, second]).toEqual([
      { value: 'a verdict' },
      { failure, last: 'a verdict' },
      { failure, last: 'a verdict' },
    ]);
    await expect(settle(fail, undefined, undefined)).resolves.toEqual({ failure, last: undefined });
  });

  it('rethrows defects, and failures of a cancelled step', async () => {
    const defect = new TypeError('x is not a function');
    await expect(settle(() => Promise.reject(defect), undefined, undefined)).rejects.toBe(defect);
    await expect(settle(fail, undefined, AbortSignal.abort())).rejects.toBe(failure);
  });
});

describe('timeoutNotice and pollFacts', () => {
  it('are empty unless polling timed out, or polled more than once', () => {
    const waited = { polls: 9, milliseconds: 60_000, timedOut: true };
    expect(timeoutNotice(waited)).toEqual(['Waited 1 min for a final verdict and timed out.']);
    expect(timeoutNotice({ ...waited, timedOut: false })).toEqual([]);
    expect(pollFacts(waited)).toEqual([{ label: 'Waited', value: { text: '1 min, polled 9 times' } }]);
    expect(pollFacts({ polls: 1, milliseconds: 20, timedOut: false })).toEqual([]);
  });
});
