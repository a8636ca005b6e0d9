import type {
  Body,
  Endpoint,
  EndpointDocument,
  EndpointParameters,
  EndpointQuery,
  EndpointResponse,
  MultipartBody,
} from '../contract/endpoint.ts';
import type { ReplayedEvidence } from '../contract/replayed-evidence.ts';
import type { FilePart } from './request-body.ts';

/** The arguments of a call, typed by the declaration of the endpoint. */
export interface EndpointCall<E extends Endpoint> {
  readonly parameters: EndpointParameters<E>;
  readonly query?: EndpointQuery<E>;
  readonly document?: EndpointDocument<E>;
  readonly file?: FileOf<E['body']>;
  /** The idempotency key of a write that was prepared earlier; by default it is derived from the call. */
  readonly key?: string;
  /**
   * When a write with this key was first sent, in milliseconds since the epoch; absent if it was not sent before. If it
   * was, the client looks for its record before it sends the write again, unless the service honours keys.
   */
  readonly since?: number;
  /** What the evidence of an earlier run is marked as; absent for that of this run. */
  readonly replayed?: ReplayedEvidence;
}

type FileOf<Sent extends Body> = Sent extends MultipartBody ? FilePart : never;

export interface EndpointResult<E extends Endpoint> {
  readonly status: number;
  readonly body: EndpointResponse<E>;
  /**
   * `answer`: this call got it. `replay`: it is the answer to an earlier request with the same idempotency key, which
   * the service did not carry out again. `look-up`: the request got no clear answer, and its record was found.
   */
  readonly source: 'answer' | 'replay' | 'look-up';
  /**
   * True if an attempt before the last may have been carried out, and the service does not honour idempotency keys. The
   * answer then says only what the last attempt changed.
   */
  readonly earlierArrived: boolean;
  /** The idempotency key of a write, which its record may contain; undefined if the call only read. */
  readonly key: string | undefined;
}

/** Calls any endpoint. Parts of the client use it without depending on the whole client. */
export interface EndpointCaller {
  call<E extends Endpoint>(endpoint: E, call: EndpointCall<E>): Promise<EndpointResult<E>>;
}
