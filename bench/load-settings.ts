/** What the program that makes load is told. */
export interface LoadSettings {
  readonly port: number;
  /** Whole requests as they go over the wire, taken in turn. */
  readonly requests: readonly string[];
  /** The status that each must be answered with. */
  readonly status: number;
  /** How many are under way at any time, each on a connection of its own. */
  readonly connections: number;
  /** Before anything counts. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** What came of the load. */
export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds from sending a request to having its whole answer. */
  readonly p50: number;
  readonly p99: number;
}
