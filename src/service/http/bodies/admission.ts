import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { maximumDocumentBytes } from '../../../contract/limits.ts';
import { Turns } from '../../storage/turns.ts';
import { ApiError } from '../errors/api-error.ts';
import { httpErrors } from '../errors/http-errors.ts';

/** How many bytes of requests and answers are held in memory at once. */
export interface AdmissionLimits {
  readonly perOrganization: number;
  readonly total: number;
}

/** The usual limits; a third of them is left to others when an organization uses all that it may. */
export const defaultAdmissionLimits: AdmissionLimits = { perOrganization: 32 * 1024 * 1024, total: 96 * 1024 * 1024 };

/** Smaller documents are read at once. In bytes. */
const largeDocument = 64 * 1024;

/** Smaller answers are not counted; the system takes them at once. In bytes. */
export const largeAnswer = 64 * 1024;

/** A multipart request is counted as this much at most: its file is not held, and few documents are larger. */
const multipartBytes = 256 * 1024;

/**
 * Keeps count of what is held in memory for requests that are being received and answers that are being sent, so that no
 * organization can use up the memory of all. A request beyond the limits is refused before its body is read.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #turns = new Turns();
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: AdmissionLimits = defaultAdmissionLimits) {
    this.#limits = limits;
  }

  /**
   * Counts bytes until the answer was sent or the connection ends.
   *
   * @throws ApiError 503 if that would be too many. One request alone never is.
   */
  admit(org: string, bytes: number, response: ServerResponse): void {
    const held = this.#held.get(org) ?? 0;
    const isTooMuch = held + bytes > this.#limits.perOrganization || this.#total + bytes > this.#limits.total;
    if (held > 0 && isTooMuch) throw new ApiError(httpErrors.overloaded, { headers: { 'retry-after': '1' } });
    this.hold(org, bytes, response);
  }

  /** Waits until a document of this size may be read: large ones are read one a turn, so that others get theirs. */
  async waitForTurn(bytes: number): Promise<void> {
    if (bytes > largeDocument) await this.#turns.next();
  }

  /** Counts bytes of an answer that cannot be refused any more, because what was asked for is done. */
  hold(org: string, bytes: number, response: ServerResponse): void {
    // The answer of a request whose sender is gone is never sent.
    if (bytes === 0 || response.destroyed) return;
    this.#add(org, bytes);
    response.once('close', () => {
      this.#add(org, -bytes);
    });
  }

  #add(org: string, bytes: number): void {
    const held = (this.#held.get(org) ?? 0) + bytes;
    this.#total += bytes;
    if (held === 0) this.#held.delete(org);
    else this.#held.set(org, held);
  }
}

/** How many bytes of a request's body are held in memory. */
export function countHeldBytes({ headers }: IncomingMessage, { body }: Pick<Endpoint, 'body'>): number {
  // A body that is too large is refused as such.
  const { maximumBytes: limit = maximumDocumentBytes } = body.kind === 'json' ? body : {};
  const announced = Math.min(Number(headers['content-length'] ?? limit), limit);
  switch (body.kind) {
    case 'none':
      return 0;
    case 'json':
      return announced;
    case 'multipart':
      return Math.min(announced, multipartBytes);
  }
}
