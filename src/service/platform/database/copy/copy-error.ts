/** The data cannot be copied; the message says why, where, and what to do. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}
