import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import { maximumDocumentBytes } from '../../../../contract/limits.ts';
import { EventLoopTurns } from '../../../../runtime/event-loop-turns.ts';
import { requestOrganization } from '../authentication/authentication.ts';
import { toNetwork } from '../authentication/failed-authentications.ts';
import { ApiError } from '../errors/api-error.ts';
import { httpErrors } from '../errors/http-errors.ts';
import { SerialQueue } from './serial-queue.ts';

/** The most bytes of requests and responses that are in memory at the same time, and the most requests. */
export interface AdmissionLimits {
  readonly perOrganization: number;
  readonly total: number;
  /** Of an organization, or without a key, of an address. */
  readonly requests: number;
}

/** The default limits. One organization can use a third of the total bytes. */
export const defaultAdmissionLimits: AdmissionLimits = {
  perOrganization: 32 * 1024 * 1024,
  total: 96 * 1024 * 1024,
  requests: 512,
};

/** Smaller documents are parsed without waiting. In bytes. */
const largeDocument = 64 * 1024;

/** Smaller responses are not counted, because the kernel buffers them. In bytes. */
export const largeResponse = 64 * 1024;

/** Maximum counted for a multipart request, in bytes: its file is not in memory, and few documents are larger. */
const maximumMultipartBytes = 256 * 1024;

/** The organization or the address that a request is counted for; no organization has a space in its name. */
export function requestHolder(
  request: Pick<FastifyRequest, 'params'> & { readonly ip: string | undefined },
  isAuthenticated = true,
): string {
  const org = isAuthenticated ? requestOrganization(request) : undefined;
  return org ?? `address ${toNetwork(request.ip ?? '')}`;
}

/**
 * Counts the memory of requests that are being received and responses that are being sent, so that no organization can
 * use all memory. A request above the limits is rejected before its body is read.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #large = new SerialQueue();
  readonly #turns = new EventLoopTurns();
  readonly #held = new Map<string, number>();
  readonly #requests = new Map<string, number>();
  #total = 0;

  constructor(limits: AdmissionLimits = defaultAdmissionLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a request until its response was sent or the connection ends.
   *
   * @throws ApiError 429 if its organization or address has too many at the same time
   */
  enter(holder: string, response: Pick<Writable, 'destroyed' | 'once'>): void {
    if ((this.#requests.get(holder) ?? 0) >= this.#limits.requests) {
      throw new ApiError(httpErrors.tooManyRequests, { headers: { 'retry-after': '1' } });
    }
    if (response.destroyed) return;
    add(this.#requests, holder, 1);
    response.once('close', () => {
      add(this.#requests, holder, -1);
    });
  }

  /**
   * Counts bytes until the response was sent or the connection ends.
   *
   * @throws ApiError 503 above the limits. A single request is always admitted.
   */
  admit(org: string, bytes: number, response: ServerResponse): void {
    const held = this.#held.get(org) ?? 0;
    const isTooMuch = held + bytes > this.#limits.perOrganization || this.#total + bytes > this.#limits.total;
    if (held > 0 && isTooMuch) throw new ApiError(httpErrors.overloaded, { headers: { 'retry-after': '1' } });
    this.hold(org, bytes, response);
  }

  /**
   * Does work on a document of this size. Large ones are worked on one at a time, because each takes many times its size in
   * memory, and in steps, so that other requests are served in between.
   *
   * @param work awaits the pause that it is given before each step
   */
  async handle<Result>(bytes: number, work: (pause: () => Promise<void>) => Promise<Result>): Promise<Result> {
    if (bytes <= largeDocument) return work(() => Promise.resolve());
    return this.#large.run(() => work(() => this.#turns.next()));
  }

  /** Counts the bytes of a response that cannot be rejected, because the request was already executed. */
  hold(org: string, bytes: number, response: ServerResponse): void {
    // Nothing is sent to a client that has disconnected.
    if (bytes === 0 || response.destroyed) return;
    this.#add(org, bytes);
    response.once('close', () => {
      this.#add(org, -bytes);
    });
  }

  #add(org: string, bytes: number): void {
    this.#total += bytes;
    add(this.#held, org, bytes);
  }
}

function add(counts: Map<string, number>, holder: string, change: number): void {
  const count = (counts.get(holder) ?? 0) + change;
  if (count === 0) counts.delete(holder);
  else counts.set(holder, count);
}

/** How many bytes of a request's body will be in memory. */
export function countHeldBytes({ headers }: IncomingMessage, { body }: Pick<Endpoint, 'body'>): number {
  // A larger body is rejected.
  const { maximumBytes: limit = maximumDocumentBytes } = body.kind === 'json' ? body : {};
  const announced = Math.min(Number(headers['content-length'] ?? limit), limit);
  switch (body.kind) {
    case 'none':
      return 0;
    case 'json':
      return announced;
    case 'multipart':
      return Math.min(announced, maximumMultipartBytes);
  }
}
