/** The settings of `programs/generate-load.ts`. */
export interface LoadSettings {
  readonly port: number;
  /** Whole requests as they go over the wire. They are sent in turn. */
  readonly requests: readonly string[];
  /** A number in the requests that is increased for each request; absent if all requests are sent as they are. */
  readonly counted?: string;
  /** The status that every response must have. */
  readonly status: number;
  /** How many requests are sent at the same time, each on its own connection. */
  readonly connections: number;
  /** Before the measurement starts. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** The result of `programs/generate-load.ts`. */
export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds from sending a request until its whole response has arrived. */
  readonly p50: number;
  readonly p99: number;
}
