import type { FastifyReply } from 'fastify';
import { largeAnswer } from './bodies/admission.ts';

/** The headers of every answer. Answers are private: no cache may store them, and no browser may guess their type. */
export const privateResponseHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** A value that has been written out as JSON, to be answered more than once. */
export class SerializedJson<Value> {
  /** In UTF-8. */
  readonly bytes: Buffer;

  constructor(value: Value) {
    this.bytes = Buffer.from(JSON.stringify(value));
  }
}

/** A large text as bytes, which are not part of the heap while they wait to be sent. */
function asPayload(text: string): string | Buffer {
  return text.length > largeAnswer ? Buffer.from(text) : text;
}

/** Answers with a JSON document, a plain string included. */
export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  const content = body instanceof SerializedJson ? body.bytes : asPayload(JSON.stringify(body));
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(content);
}
