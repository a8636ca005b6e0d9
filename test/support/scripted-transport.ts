import type { HttpRequest, HttpResponse, Transport, TransportError } from '../../src/http/transport.ts';
import { type Clock, sleep } from '../../src/runtime/clock.ts';

/** The outcome of an attempt, and after how many milliseconds it ends. */
export interface Attempt {
  readonly takes?: number;
  readonly outcome: HttpResponse | TransportError;
}

/**
 * A transport with outcomes that a test chooses, for rules about whole calls. Real connections have their own tests.
 */
export interface ScriptedTransport extends Transport {
  /** When each attempt started, in milliseconds since the epoch. */
  readonly begun: readonly number[];
  readonly requests: readonly HttpRequest[];
}

/** A transport that returns these outcomes one after the other. The last one is repeated. */
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
    preload: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
