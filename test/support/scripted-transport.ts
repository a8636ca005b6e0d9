import type { HttpAnswer, HttpRequest, Transport, TransportError } from '../../src/http/transport.ts';
import { sleep, type Clock } from '../../src/runtime/clock.ts';

/** How one attempt ends, and after how many milliseconds. */
export interface Attempt {
  readonly takes?: number;
  readonly outcome: HttpAnswer | TransportError;
}

/**
 * A transport that does as the test says, for rules about whole calls; how real connections fail is tested with real
 * ones.
 */
export interface ScriptedTransport extends Transport {
  /** When each attempt began, in milliseconds since the epoch. */
  readonly begun: readonly number[];
  readonly requests: readonly HttpRequest[];
}

/** A transport that gives these outcomes one after the other; the last one stays. */
export function scriptedTransport(clock: Clock, ...attempts: readonly [Attempt, ...Attempt[]]): ScriptedTransport {
  const begun: number[] = [];
  const requests: HttpRequest[] = [];
  return {
    begun,
    requests,
    async send(request, signal) {
      const { takes = 0, outcome } = attempts[begun.length] ?? attempts.at(-1) ?? attempts[0];
      begun.push(clock.now());
      requests.push(request);
      if (takes > 0) await sleep(clock, takes, signal);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    getReady: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
