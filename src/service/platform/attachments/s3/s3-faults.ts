import type { S3ServiceException } from '@aws-sdk/client-s3';
import { describeError } from '../../../../runtime/failure.ts';
import { textAt } from '../../../../runtime/untrusted-data.ts';
import { StorageError, type StorageReason } from '../../database/storage-error.ts';
import { storageError } from '../../database/storage-faults.ts';
import { CredentialsError } from './credentials/credentials-error.ts';

/** An answer of the object storage that is not a success. */
export class S3ResponseError extends Error {
  override readonly name = 'S3ResponseError';
  readonly status: number;
  /** The error code of S3, such as `NoSuchKey`; empty if there is none. */
  readonly code: string;

  /** @param credentials where the credentials of the request come from, for the remedy */
  constructor(request: string, cause: S3ServiceException, credentials: string) {
    const status = cause.$metadata.httpStatusCode ?? 0;
    const code = textAt(cause, 'Code') ?? '';
    const details = code === '' || cause.message === '' ? '' : ` (${cause.message.slice(0, maximumDetails)})`;
    const remedy = findRemedy(status, code, credentials);
    super([`${request}: ${[status, code].join(' ').trimEnd()}${details}`, remedy].filter(Boolean).join('; '));
    this.status = status;
    this.code = code;
  }
}

const maximumDetails = 300;

/** There was no complete answer: no connection, a lost connection, or a time limit. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(request: string, cause: unknown) {
    super(`${request}: ${describeError(cause)}`, { cause });
  }
}

/** The storage does not know the credentials, or does not know them any more. */
const unknownKeyCodes = [
  'InvalidAccessKeyId',
  'InvalidToken',
  'ExpiredToken',
  'TokenRefreshRequired',
  // MinIO
  'InvalidTokenId',
  // versitygw
  'XAdminUserNotFound',
];
const credentialCodes = [...unknownKeyCodes, 'SignatureDoesNotMatch'];
const addressCodes = ['AuthorizationHeaderMalformed', 'PermanentRedirect', 'TemporaryRedirect', 'InvalidRegion'];

/** What the operator can do; empty if the answer does not show it. */
function findRemedy(status: number, code: string, credentials: string): string {
  if (credentialCodes.includes(code)) return `check ${credentials}`;
  if (code === 'RequestTimeTooSkewed') return "set this machine's clock";
  if (code === 'NoSuchBucket') return 'create the bucket, or correct its name in --attachments';
  if (addressCodes.includes(code) || isRedirect(status)) return 'check the region and the endpoint in --attachments';
  if (isDenied(status)) return `check ${credentials}, and the permissions for the bucket`;
  return '';
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function isDenied(status: number): boolean {
  return status === 401 || status === 403;
}

const transientStatuses = [408, 409, 425, 429, 500, 502, 503, 504];
/** The upload was slow, or was damaged on its way. */
const transientCodes = ['RequestTimeout', 'BadDigest', 'XAmzContentSHA256Mismatch', 'IncompleteBody', 'SlowDown'];
const fullCodes = ['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded'];

/** Whether the answer says that there is no such object; 404 can also be about the bucket or the credentials. */
export function isMissingObject(error: unknown): boolean {
  return error instanceof S3ResponseError && error.status === 404 && ['', 'NoSuchKey'].includes(error.code);
}

/** Whether the storage does not know the credentials, so that others may help. */
export function isUnknownKey(error: unknown): boolean {
  return error instanceof S3ResponseError && unknownKeyCodes.includes(error.code);
}

/** Whether the error is transient, so that another attempt may succeed. */
export function isTransientS3Error(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof CredentialsError) return error.isTransient;
  if (!(error instanceof S3ResponseError) || fullCodes.includes(error.code)) return false;
  return transientStatuses.includes(error.status) || transientCodes.includes(error.code);
}

/** Error messages. They name no bucket, because they may be sent to a client. */
const messages: Partial<Record<StorageReason, string>> = {
  inaccessible: 'the object storage refuses access',
  missing: 'the bucket of the object storage is missing',
  failing: 'the object storage reports an error',
  full: 'the object storage is full',
};

/** Converts a failed request to a storage error. Returns other errors unchanged. */
export function toS3StorageError(error: unknown): unknown {
  if (error instanceof CredentialsError) {
    const reason = error.isTransient ? 'unreachable' : 'inaccessible';
    return new StorageError(reason, 'there are no credentials for the object storage', { cause: error });
  }
  if (error instanceof ConnectionError) return storageError('unreachable', error);
  if (!(error instanceof S3ResponseError)) return error;
  const reason = findReason(error);
  const message = messages[reason];
  return message === undefined ? storageError(reason, error) : new StorageError(reason, message, { cause: error });
}

function findReason({ status, code }: S3ResponseError): StorageReason {
  if (status === 507 || fullCodes.includes(code)) return 'full';
  if (isDenied(status) || credentialCodes.includes(code) || addressCodes.includes(code)) return 'inaccessible';
  if (status === 404 || isRedirect(status)) return 'missing';
  return status !== 500 && transientStatuses.includes(status) ? 'unreachable' : 'failing';
}
