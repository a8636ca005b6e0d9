import type { buildConnector } from 'undici';
import { readAnswerFirst } from './answer-first.ts';

/**
 * How undici is to connect: without a deadline of its own, which would cut in between. Deadlines are the caller's: one for
 * connecting, headers and body together.
 */
export function connecting(signal: AbortSignal): { readonly timeout: 0; readonly signal: AbortSignal } {
  return { timeout: 0, signal };
}

/** The same connector, with sockets that read an answer before they fail. */
export function answeringConnector(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, readAnswerFirst(socket));
      else callback(error, null);
    });
  };
}
