/** Where a part of the action says what it does. The step's log is GitHub's; tests collect lines. */
export interface Log {
  /** Shown only in runs with step debugging on. */
  debug(line: string): void;
  info(line: string): void;
  /** Something the reader may have to mend, though the work goes on. Becomes an annotation. */
  warning(line: string): void;
  /** Something the reader should know and need not mend now. Becomes an annotation. */
  notice(line: string): void;
  /** Runs the work with its lines folded under a title. */
  group<Result>(title: string, work: () => Promise<Result>): Promise<Result>;
}

/** Where the service says what its operator must know; requests that went as they should are not told. */
export interface ServiceLog extends Pick<Log, 'info'> {
  /** A defect or trouble, with what was thrown. Never holds a key. */
  error(line: string, error: unknown): void;
}
