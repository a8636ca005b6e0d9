/** What the program that asks whether a service is ready is told. */
export interface ReadinessSettings {
  readonly port: number;
  /** Milliseconds between two questions, whether the one before was answered or not. */
  readonly interval: number;
}

/** How long it took to be answered, in milliseconds from sending a question to having its whole answer. */
export interface ReadinessResult {
  readonly count: number;
  readonly p99: number;
  readonly worst: number;
}
