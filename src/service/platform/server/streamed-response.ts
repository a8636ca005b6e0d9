import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A stream that may be sent for any length of time, while the client keeps receiving. */
export class LongStream extends PassThrough {}

/** A response that is sent while it is made. If making it fails, the connection is closed before its end. */
export class StreamedResponse {
  readonly #body: LongStream;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(body: LongStream, headers: Readonly<Record<string, string>>) {
    this.#body = body;
    this.#headers = headers;
  }

  send(reply: FastifyReply): FastifyReply {
    // Also destroys it after a HEAD request, whose response has no body.
    reply.raw.once('close', () => this.#body.destroy());
    if (reply.raw.destroyed) this.#body.destroy();
    return reply.code(200).headers(this.#headers).send(this.#body);
  }
}
