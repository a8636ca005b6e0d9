/** A backup cannot be made, verified or restored; the message says why, where, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
