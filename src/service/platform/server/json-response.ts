import type { FastifyReply, onSendHookHandler } from 'fastify';
import { keysAcceptedHeader } from '../../../contract/idempotency.ts';
import { largeResponse } from './bodies/admission.ts';

/** The headers of every response. Responses are private: no shared caching, no MIME sniffing. */
export const privateResponseHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** A hook of a route whose response is public: it runs after the hook of all responses, which forbids caching. */
export function allowCaching(cacheControl: string): onSendHookHandler {
  return (_request, reply, _payload, done) => {
    reply.header('cache-control', cacheControl);
    done();
  };
}

/** The header of every response of the interface: a request with an idempotency key can be repeated. */
export const keysAcceptedHeaders = { [keysAcceptedHeader]: '?1' } as const;

/** A value serialized to JSON: to be sent more than once, or because serializing takes long. */
export class SerializedJson<Value> {
  /** In UTF-8. */
  readonly bytes: Buffer;
  /** Never set; tells the compiler what the bytes contain. */
  declare readonly value?: Value;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

/** Converts large texts to bytes, which are outside of the heap while they wait to be sent. */
function asPayload(text: string): string | Buffer {
  return text.length > largeResponse ? Buffer.from(text) : text;
}

/**
 * Prepares a JSON response, and returns its content for the handler to return; a string is sent as a JSON string. If the
 * handler returned the reply instead, Fastify would listen to the end of its stream.
 */
export function prepareJson(
  reply: FastifyReply,
  status: number,
  body: unknown,
  mediaType = 'application/json; charset=utf-8',
): string | Buffer {
  reply.code(status).header('content-type', mediaType);
  return body instanceof SerializedJson ? body.bytes : asPayload(JSON.stringify(body));
}

export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.send(prepareJson(reply, status, body));
}
