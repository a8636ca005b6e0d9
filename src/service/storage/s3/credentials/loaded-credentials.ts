import type { S3Credentials } from '../s3-options.ts';

/** Credentials, and when they expire. */
export interface LoadedCredentials extends S3Credentials {
  /** Undefined if the source does not say. */
  readonly expiration?: Date | undefined;
}
