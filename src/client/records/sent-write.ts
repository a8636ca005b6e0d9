import type { EndpointCaller } from '../endpoint-call.ts';
import type { FilePart } from '../request-body.ts';

/** A request that may have been recorded. */
export interface SentWrite {
  readonly key: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly document: unknown;
  readonly file: FilePart | undefined;
  /** When it was sent first, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Looks once for the record of a request.
 *
 * @returns the record, in the form of the endpoint's answer; undefined if the service does not have the record
 * @throws Failure if the look-up fails
 */
export type FindRecord = (sent: SentWrite, client: EndpointCaller) => Promise<unknown>;
