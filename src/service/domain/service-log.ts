/** Where the service says what its operator must know; requests that went as they should are not told. */
export interface ServiceLog {
  info(line: string): void;
  /** A defect or trouble, with what was thrown. Never holds a key. */
  error(line: string, error: unknown): void;
}
