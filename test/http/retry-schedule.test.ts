import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { RetryPolicy } from '../../src/http/retry-schedule.ts';
import { sendWithRetry, type CallContext } from '../../src/http/send-with-retry.ts';
import { TransportError, type HttpResponse, type HttpRequest } from '../../src/http/transport.ts';
import { instantClock, manualClock, startOfTime } from '../support/clock.ts';
import { collectingLog, type CollectingLog } from '../support/log.ts';
import { scriptedTransport, type Attempt, type ScriptedTransport } from '../support/scripted-transport.ts';

const request: HttpRequest = { method: 'GET', url: new URL('http://127.0.0.1/api/v2/flows/acme'), headers: {} };
const refused = new TransportError('unreachable', false, 'connect ECONNREFUSED');

function answer(status: number, retryAfter?: string): HttpResponse {
  return { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, text: '' };
}

interface Setting {
  readonly context: CallContext;
  readonly transport: ScriptedTransport;
  readonly log: CollectingLog;
}

/** Every wait passes at once and in order, the deadlines among them. */
function setting(attempts: readonly [Attempt, ...Attempt[]], policy: Partial<RetryPolicy>): Setting {
  const clock = instantClock({ maximumWait: Number.POSITIVE_INFINITY });
  const transport = scriptedTransport(clock, ...attempts);
  const log = collectingLog();
  const retryPolicy = { requestTimeout: 30_000, retries: 0, ...policy };
  return { transport, log, context: { clock, log, random: () => 0, transport, retryPolicy } };
}

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
