export interface Log {
  /** Shown only if step debugging is enabled. */
  debug(line: string): void;
  info(line: string): void;
  /** Something that the reader may have to fix, although the step continues. Becomes an annotation. */
  warning(line: string): void;
  /** Something that the reader should know. Becomes an annotation. */
  notice(line: string): void;
  /** Runs the work and groups its lines under a title. */
  group<Result>(title: string, work: () => Promise<Result>): Promise<Result>;
}

/** The log of the service, for its operator. Successful requests are not logged. */
export interface ServiceLog extends Pick<Log, 'info'> {
  /** Logs what failed, with the error if there is one. Never contains a key. */
  error(line: string, error?: unknown): void;
}
