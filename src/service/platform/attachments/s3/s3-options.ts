import type { CredentialSource, S3Credentials } from './credentials/credential-source.ts';

/** Where attachments are kept in an S3-compatible storage. */
export interface S3Options {
  readonly bucket: string;
  /** The beginning of all object names, without a slash at either end; empty for none. */
  readonly prefix: string;
  readonly region: string;
  /** The server, if it is not the one of AWS. The bucket is then a part of the path. */
  readonly endpoint?: string | undefined;
  readonly credentials: S3Credentials | CredentialSource;
}

/** The place of the attachments as operators write it: `s3://bucket/prefix`. */
export function describeS3({ bucket, prefix }: S3Options): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
}
