import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callTimeout, type RetryPolicy } from '../../src/http/retry-schedule.ts';
import { type CallContext, sendWithRetry } from '../../src/http/send-with-retry.ts';
import { type HttpRequest, type HttpResponse, TransportError } from '../../src/http/transport.ts';
import { type InstantClock, instantClock, manualClock, startOfTime } from '../support/clock.ts';
import { collectingLog } from '../support/log.ts';
import { type Attempt, type ScriptedTransport, scriptedTransport } from '../support/scripted-transport.ts';

const request: HttpRequest = { method: 'GET', url: new URL('http://127.0.0.1/api/v2/flows/acme'), headers: {} };

function answer(status: number, retryAfter?: string): HttpResponse {
  return { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, text: '' };
}

const refused = new TransportError('unreachable', false, 'connect ECONNREFUSED');
const reset = new TransportError('interrupted', true, 'read ECONNRESET');

interface Setting {
  readonly context: CallContext;
  readonly clock: InstantClock;
  readonly transport: ScriptedTransport;
  readonly log: ReturnType<typeof collectingLog>;
}

/** Every wait passes at once and in order, the deadlines among them. */
function setting(
  attempts: readonly [Attempt, ...Attempt[]],
  { requestTimeout = 30_000, retries = 3, luck = 0, ...further }: Partial<RetryPolicy> & { luck?: number } = {},
): Setting {
  const clock = instantClock({ maximumWait: Number.POSITIVE_INFINITY });
  const transport = scriptedTransport(clock, ...attempts);
  const log = collectingLog();
  return {
    clock,
    transport,
    log,
    context: { clock, log, random: () => luck, transport, retryPolicy: { requestTimeout, retries, ...further } },
  };
}

describe('sendWithRetry', () => {
  it('sends once if the answer is final, and logs nothing', async () => {
    const { context, transport, log } = setting([{ outcome: answer(201) }]);
    await expect(sendWithRetry('create-flow', request, context)).resolves.toEqual({
      answer: answer(201),
      attempts: 1,
      earlierArrived: false,
    });
    expect(transport.begun).toHaveLength(1);
    expect(log.text()).toBe('');
  });

  it('logs each repetition with operation, attempt, reason and delay', async () => {
    const { context, log } = setting([
      { outcome: answer(502) },
      { outcome: refused },
      { outcome: answer(429, '4') },
      { outcome: answer(200) },
    ]);
    await expect(sendWithRetry('get-artifact', request, context)).resolves.toMatchObject({ attempts: 4 });
    expect(log.infos).toEqual([
      'get-artifact: attempt 1 of 4: the answer was 502; trying again in 0.5 s',
      'get-artifact: attempt 2 of 4: connect ECONNREFUSED; trying again in 1.0 s',
      'get-artifact: attempt 3 of 4: the answer was 429; trying again in 4.0 s',
    ]);
  });

  it('waits as long as it logged', async () => {
    const { context, transport } = setting([{ outcome: answer(500) }, { outcome: reset }, { outcome: answer(200) }], {
      luck: 0.5,
    });
    await sendWithRetry('get-artifact', request, context);
    expect(transport.begun.map((time) => time - startOfTime)).toEqual([0, 375, 375 + 750]);
  });

  it('waits until the date that Retry-After names', async () => {
    const date = new Date(startOfTime + 9000).toUTCString();
    const { context, transport } = setting([{ outcome: answer(503, date) }, { outcome: answer(201) }]);
    await sendWithRetry('attest-sonar', request, context);
    expect(transport.begun.map((time) => time - startOfTime)).toEqual([0, 9000]);
  });

  it('returns the last answer once the attempts are used up', async () => {
    const { context, transport } = setting([{ outcome: answer(500) }, { outcome: answer(503) }], { retries: 1 });
    await expect(sendWithRetry('get-artifact', request, context)).resolves.toEqual({
      answer: answer(503),
      attempts: 2,
      earlierArrived: true,
    });
    expect(transport.begun).toHaveLength(2);
  });

  it('throws the last error, and says after how many attempts', async () => {
    const { context } = setting([{ outcome: refused }, { outcome: reset }], { retries: 2 });
    await expect(sendWithRetry('get-artifact', request, context)).rejects.toMatchObject({
      problem: 'interrupted',
      mayHaveReached: true,
      message: 'read ECONNRESET (after 3 attempts)',
      cause: reset,
    });
  });

  it.each([
    ['refused connections', [{ outcome: refused }], false],
    ['an attempt whose answer was lost', [{ outcome: reset }], true],
    ['an answer 502 before a refused connection', [{ outcome: answer(502) }, { outcome: refused }], true],
    // A gateway that repeats requests itself can send it after the service carried out the first.
    ['an answer 429', [{ outcome: answer(429) }], true],
  ] as const)('says whether an earlier attempt may have arrived: %s', async (_what, earlier, arrived) => {
    const [first, ...others] = [...earlier, { outcome: answer(200) }];
    const { context } = setting([first, ...others]);
    const done = await sendWithRetry('create-flow', request, context);
    expect(done.earlierArrived).toBe(arrived);
  });

  it('says with the failure of the last attempt whether an earlier one may have arrived', async () => {
    const { context } = setting([{ outcome: reset }, { outcome: refused }], { retries: 1 });
    await expect(sendWithRetry('get-artifact', request, context)).rejects.toMatchObject({
      mayHaveReached: false,
      earlierArrived: true,
    });
  });

  it('ends at once if the requested wait would pass the deadline, and says so', async () => {
    const { context, transport, log } = setting([{ outcome: answer(429, '3600') }], { requestTimeout: 10_000 });
    await expect(sendWithRetry('get-artifact', request, context)).resolves.toMatchObject({
      answer: { status: 429 },
      attempts: 1,
    });
    expect(transport.begun).toHaveLength(1);
    expect(log.infos).toEqual([
      'get-artifact: attempt 1: the answer was 429; the next attempt in 3600 s would be too late: only 40 s left',
    ]);
  });

  it('gives each attempt its own deadline, and the last one only the time that is left', async () => {
    const slow = { takes: Number.MAX_SAFE_INTEGER, outcome: answer(200) };
    const { context, clock, transport } = setting([slow], { requestTimeout: 10_000, retries: 2 });
    await expect(sendWithRetry('get-artifact', request, context)).rejects.toMatchObject({
      problem: 'timeout',
      message: 'no complete answer within 8.5 s (after 3 attempts)',
    });
    expect(transport.begun.map((time) => time - startOfTime)).toEqual([0, 10_500, 21_500]);
    expect(clock.now() - startOfTime).toBe(30_000);
  });

  it('ends when it is cancelled during an attempt, with the reason of the signal', async () => {
    const clock = manualClock();
    const cancelled = new AbortController();
    const transport = scriptedTransport(clock, { takes: 5000, outcome: answer(200) });
    const context = { ...setting([{ outcome: answer(200) }]).context, clock, transport, signal: cancelled.signal };
    const call = sendWithRetry('get-artifact', request, context);
    const reason = new Error('the job was cancelled');
    cancelled.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(clock.pending()).toBe(0);
  });

  it('ends when it is cancelled while it waits, with the reason of the signal', async () => {
    const clock = manualClock();
    const cancelled = new AbortController();
    const transport = scriptedTransport(clock, { outcome: answer(503, '20') });
    const context = { ...setting([{ outcome: answer(200) }]).context, clock, transport, signal: cancelled.signal };
    const call = sendWithRetry('get-artifact', request, context);
    await nextTurn();
    expect(clock.pending()).toBe(1);
    const reason = new Error('the job was cancelled');
    cancelled.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(transport.begun).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  it('leaves no timer behind', async () => {
    const clock = manualClock();
    const transport = scriptedTransport(clock, { outcome: answer(200) });
    await sendWithRetry('get-artifact', request, {
      ...setting([{ outcome: answer(200) }]).context,
      clock,
      transport,
    });
    expect(clock.pending()).toBe(0);
  });

  const outcome = fc.oneof(
    fc
      .record({
        status: fc.constantFrom(200, 400, 408, 409, 429, 500, 501, 502, 503),
        seconds: fc.option(fc.nat({ max: 200 }), { nil: undefined }),
      })
      .map(({ status, seconds }) => answer(status, seconds === undefined ? undefined : String(seconds))),
    fc.constantFrom(refused, reset, new TransportError('malformed', true, 'no HTTP')),
  );
  const script = fc.array(fc.record({ takes: fc.nat({ max: 100_000 }), outcome }), { minLength: 1, maxLength: 8 });

  it('never begins an attempt, nor waits for one, beyond the deadline of the whole call', async () => {
    await fc.assert(
      fc.asyncProperty(
        script,
        fc.integer({ min: 1000, max: 60_000 }),
        fc.nat({ max: 6 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        async ([first, ...others], requestTimeout, retries, luck) => {
          fc.pre(first !== undefined);
          const { context, clock, transport } = setting([first, ...others], {
            requestTimeout,
            retries,
            luck,
          });
          await sendWithRetry('get-artifact', request, context).catch((error: unknown) => {
            expect(error).toBeInstanceOf(TransportError);
          });
          const end = startOfTime + callTimeout(context.retryPolicy);
          expect(transport.begun.length).toBeLessThanOrEqual(retries + 1);
          expect(transport.begun.every((time) => time < end)).toBe(true);
          expect(clock.now()).toBeLessThanOrEqual(end);
        },
      ),
    );
  });
});

describe('sendWithRetry with `until`', () => {
  /** Sends a request at the start of time; nothing is tried again from `until` milliseconds later on. */
  async function sent(
    attempts: readonly [Attempt, ...Attempt[]],
    until: number,
  ): Promise<Setting & { readonly ended: HttpResponse | TransportError }> {
    const made = setting(attempts);
    const context = { ...made.context, retryPolicy: { ...made.context.retryPolicy, until: startOfTime + until } };
    const ended = await sendWithRetry('get-artifact', request, context).then(
      ({ answer: last }) => last,
      (error: unknown) => {
        if (error instanceof TransportError) return error;
        throw error;
      },
    );
    return { ...made, ended };
  }

  it('retries only before that time', async () => {
    const { transport, ended, log } = await sent([{ outcome: answer(503) }], 1500);
    expect(transport.begun.map((time) => time - startOfTime)).toEqual([0, 500]);
    expect(ended).toMatchObject({ status: 503 });
    expect(log.text()).toContain('the next attempt in 1.0 s would be too late: only 1.0 s left');
  });

  it('sends once if the time has come, with the whole request timeout', async () => {
    const { transport, clock, ended } = await sent([{ takes: 29_000, outcome: answer(503) }], 0);
    expect(transport.begun).toHaveLength(1);
    expect(clock.now()).toBe(startOfTime + 29_000);
    expect(ended).toMatchObject({ status: 503 });
  });

  it('ends at most one request timeout after that time', async () => {
    const { clock, ended } = await sent([{ takes: 100_000, outcome: answer(200) }], -10_000);
    expect(clock.now()).toBe(startOfTime + 20_000);
    expect(ended).toMatchObject({ problem: 'timeout', mayHaveReached: true });
  });

  it('sends nothing if the request timeout is over as well', async () => {
    const { transport, ended } = await sent([{ outcome: answer(200) }], -30_000);
    expect(transport.begun).toEqual([]);
    expect(ended).toMatchObject({ problem: 'timeout', mayHaveReached: false });
  });

  it('begins nothing again after that moment, and ends one request later, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ takes: fc.nat({ max: 40_000 }), outcome: fc.constantFrom(answer(503), answer(429, '3'), reset) }),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        fc.nat({ max: 100_000 }),
        async ([first, ...others], until) => {
          fc.pre(first !== undefined);
          const { transport, clock } = await sent([first, ...others], until);
          const [, ...repeated] = transport.begun.map((time) => time - startOfTime);
          expect(repeated.every((time) => time < until)).toBe(true);
          expect(clock.now() - startOfTime).toBeLessThanOrEqual(until + 30_000);
        },
      ),
    );
  });
});

describe('sendWithRetry with `retry-for`', () => {
  const quarter = 15 * 60_000;
  // The last attempt is repeated.
  const unavailable: readonly [Attempt] = [{ outcome: refused }];
  const begunAt = ({ transport }: Setting): readonly number[] => transport.begun.map((time) => time - startOfTime);

  it('goes on with pauses that grow to a minute, and makes the last attempt when the time is up', async () => {
    const test = setting(unavailable, { retryFor: quarter });
    await expect(sendWithRetry('get-artifact', request, test.context)).rejects.toThrow('after 22 attempts');
    const begun = begunAt(test);
    const pauses = begun.slice(1).map((time, index) => time - (begun[index] ?? 0));
    expect(pauses.slice(0, 9)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(Math.max(...pauses)).toBe(60_000);
    expect(begun.at(-1)).toBe(quarter - 1);
  });

  it('logs how long it has been failing, why, when the next attempt comes, and until when it goes on', async () => {
    const test = setting([{ outcome: refused }, { outcome: answer(503) }, { outcome: answer(200) }], {
      retryFor: quarter,
    });
    await sendWithRetry('get-artifact', request, test.context);
    expect(test.log.infos).toEqual([
      'get-artifact: attempt 1, failing for 0.0 s: connect ECONNREFUSED; trying again in 0.5 s, at 03:04:05 UTC, and then until 03:19:05 UTC',
      'get-artifact: attempt 2, failing for 0.5 s: the answer was 503; trying again in 1.0 s, at 03:04:06 UTC, and then until 03:19:05 UTC',
    ]);
  });

  it('waits as long as Retry-After says, but makes the last attempt when the time is up', async () => {
    const test = setting([{ outcome: answer(503, '120') }, { outcome: answer(429, '86400') }], { retryFor: quarter });
    await expect(sendWithRetry('get-artifact', request, test.context)).resolves.toMatchObject({ attempts: 3 });
    expect(begunAt(test)).toEqual([0, 120_000, quarter - 1]);
    expect(test.log.infos.slice(1)).toEqual([
      'get-artifact: attempt 2, failing for 120 s: the answer was 429; trying again in 780 s, at 03:19:04 UTC, and then until 03:19:05 UTC',
      'get-artifact: attempt 3: the answer was 429; the next attempt in 86400 s would be too late: only 0.0 s left',
    ]);
  });

  it('limits each request by its own timeout', async () => {
    const test = setting([{ outcome: answer(200), takes: 5_000_000 }], { retryFor: 40_000, requestTimeout: 7000 });
    await expect(sendWithRetry('get-artifact', request, test.context)).rejects.toMatchObject({ problem: 'timeout' });
    expect(begunAt(test).slice(0, 3)).toEqual([0, 7500, 15_500]);
  });

  it('does not go on after the end of a poll', async () => {
    const test = setting(unavailable, { retryFor: quarter, until: startOfTime + 20_000 });
    await expect(sendWithRetry('get-artifact', request, test.context)).rejects.toThrow('ECONNREFUSED');
    expect(begunAt(test).at(-1)).toBe(19_999);
  });

  it('ends at once when the job is cancelled', async () => {
    const cancelled = new AbortController();
    const clock = manualClock();
    const context = { ...setting(unavailable, { retryFor: quarter }).context, clock, signal: cancelled.signal };
    const transport = scriptedTransport(clock, ...unavailable);
    const call = sendWithRetry('get-artifact', request, { ...context, transport });
    await nextTurn();
    cancelled.abort(new Error('the job was cancelled'));
    await expect(call).rejects.toThrow('the job was cancelled');
  });
});
