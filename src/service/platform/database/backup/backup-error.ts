/** A backup cannot be created, verified or restored; the message says why, where, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
