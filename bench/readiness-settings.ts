/** The settings of `programs/poll-readiness.ts`. */
export interface ReadinessSettings {
  readonly port: number;
  /** Milliseconds between two requests, even if the first has no response yet. */
  readonly interval: number;
}

/** Response times, in milliseconds from sending a request until its whole response has arrived. */
export interface ReadinessResult {
  readonly count: number;
  readonly p99: number;
  readonly worst: number;
}
