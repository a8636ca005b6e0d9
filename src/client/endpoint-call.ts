import type {
  Body,
  Endpoint,
  EndpointDocument,
  EndpointParameters,
  EndpointQuery,
  EndpointResponse,
  MultipartBody,
} from '../contract/endpoint.ts';
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
   * When a write with this key was sent first, in milliseconds since the epoch. Its record is looked for before it is
   * sent again, unless the service honours keys. Absent if it was not sent before.
   */
  readonly since?: number;
}

type FileOf<Sent extends Body> = Sent extends MultipartBody ? FilePart : never;

/** The answer to a successful call. */
export interface EndpointResult<E extends Endpoint> {
  readonly status: number;
  readonly body: EndpointResponse<E>;
  /**
   * Where the answer comes from: from this call (`answer`); from an earlier request with the same idempotency key,
   * which the service did not carry out again (`replay`); or from looking for the record of a request that got no clear
   * answer (`look-up`).
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
