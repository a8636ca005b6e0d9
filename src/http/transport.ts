export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export interface RequestBody {
  readonly contentType: string;
  /** The exact number of bytes that `open` gives; sent as Content-Length. */
  readonly length: number;
  /**
   * Opens the body at its beginning, once for each attempt. A chunk is valid only until the next is requested, so that
   * all chunks can share one buffer. A reader that stops early calls the iterator's `return`.
   */
  open(): string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** One HTTP request, which can be sent several times. */
export interface HttpRequest {
  readonly method: Method;
  readonly url: URL;
  /** Lowercase names. Content type and length come from the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Whether to decode the answer as Latin-1, with one character for each byte, instead of UTF-8. */
  readonly isBinary?: true;
}

/** One HTTP answer, read to its end. Redirects are not followed. */
export interface HttpResponse {
  readonly status: number;
  /** Lowercase names; the values of a repeated header are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends requests; holds the connections between them. */
export interface Transport {
  /**
   * Sends one request once and reads the whole answer.
   *
   * @throws TransportError if no complete answer came; the signal's reason if it was aborted
   */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** Loads the modules that a request to this URL needs, without connecting. */
  preload(url: URL): Promise<void>;
  /** Closes the connections, so that the process can end. */
  close(): Promise<void>;
}

/** Why no complete answer came. */
export type TransportProblem =
  /** No connection: a refused or unreachable address, an unknown host. */
  | 'unreachable'
  /** A certificate that is not trusted, or another failure of TLS. Repeating the request does not help. */
  | 'untrusted'
  /** The connection was lost before or during the answer. */
  | 'interrupted'
  /** The deadline of the request passed. */
  | 'timeout'
  /** The answer is not HTTP, or larger than this project reads. */
  | 'malformed';

/** No complete answer came. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly problem: TransportProblem;
  /** False if the request was certainly not sent completely, so that sending it again is safe. */
  readonly mayHaveReached: boolean;
  /** True if only a part of the request was sent. */
  readonly sentInPart: boolean;
  /** True if an earlier attempt of the same call may have arrived. */
  readonly earlierArrived: boolean;
  /** What the reader can do, if the request went to another host than the call is for. */
  readonly remedy: string | undefined;

  constructor(
    problem: TransportProblem,
    mayHaveReached: boolean,
    message: string,
    options?: ErrorOptions & {
      readonly earlierArrived?: boolean;
      readonly sentInPart?: boolean;
      readonly remedy?: string | undefined;
    },
  ) {
    super(message, options);
    this.problem = problem;
    this.mayHaveReached = mayHaveReached;
    this.earlierArrived = options?.earlierArrived ?? false;
    this.sentInPart = options?.sentInPart ?? false;
    this.remedy = options?.remedy;
  }
}

/** The maximum size of an answer, in bytes. Pages are far smaller; an endless answer must not fill the memory. */
export const maximumAnswerBytes = 64 * 1024 * 1024;
