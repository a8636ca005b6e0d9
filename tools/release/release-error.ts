/** Why there can be no release. The message is for the maintainer: what is wrong, where, and what to do. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}
