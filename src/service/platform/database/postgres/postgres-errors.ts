import { DatabaseError } from 'pg';
import { errorCode } from '../../../../runtime/failure.ts';
import { textAt } from '../../../../runtime/untrusted-data.ts';
import { StorageError, type StorageReason } from '../storage-error.ts';

/** The reasons for error codes and classes of PostgreSQL (its documentation, appendix A). The longest match decides. */
const reasons: Readonly<Record<string, StorageReason>> = {
  '08': 'unreachable', // connection exceptions
  '25006': 'unreachable', // read-only: it has become a standby
  '28': 'inaccessible', // the user or the password
  '3D000': 'missing', // the database
  '3F000': 'missing', // the schema
  '42P01': 'missing', // a table
  '42501': 'inaccessible',
  '53': 'exhausted',
  '53100': 'full',
  '54': 'failing',
  '55P03': 'slow', // lock_timeout
  '57014': 'slow', // statement_timeout
  '57': 'unreachable', // shutting down, starting up, restarting after a crash
  '58': 'failing', // system errors
  '58P01': 'missing',
  XX: 'failing',
  XX001: 'damaged',
  XX002: 'damaged',
};

/** Codes of transactions that can be run again: serialization failures and deadlocks. */
const conflictCodes: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Whether a transaction failed only because of others that ran at the same time. */
export function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && conflictCodes.has(error.code ?? '');
}

/** Whether the database answered with this error. Otherwise the connection failed. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof DatabaseError;
}

/** Whether an error ended the connection, so that the outcome of a commit is unknown. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  return ['FATAL', 'PANIC'].includes(error.severity ?? '');
}

/** Error codes of the network (errno(3), and those of Node.js). */
const networkCodes: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENETDOWN', 'EHOSTDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'],
]);

/** The messages of the driver that have no code: the connection ended, or could not be made in time. */
const connectionMessages = /connection|not queryable|terminat|timeout/iu;

/** Whether the server wants a password, and none is set. The driver has no code for it. */
export function isPasswordMissing(error: unknown): boolean {
  return error instanceof Error && /^SASL: .*password must be a/u.test(error.message);
}

/** Whether the server's certificate was refused: an error code of OpenSSL or of Node.js. */
export function isCertificateError(error: unknown): boolean {
  return /CERT|^UNABLE_TO_/u.test(errorCode(error) ?? '');
}

/** Error messages. They name no server, because they may be sent to a client. */
const messages: Readonly<Record<StorageReason, string>> = {
  full: 'the disk of the database is full',
  busy: 'the database is held by another process',
  'read-only': 'the database is read-only',
  inaccessible: 'the database refuses access',
  missing: 'the database or a part of it is missing',
  exhausted: 'the database has no connection or memory left',
  failing: 'the database reports an error',
  damaged: 'the database is damaged',
  unreachable: 'the database cannot be reached',
  slow:
    'the database did not answer in time: it is overloaded, or waits for a lock of another transaction, or for a ' +
    'standby in synchronous_standby_names that is missing (pg_stat_activity shows what it waits for)',
};

function databaseFault(reason: StorageReason, cause: unknown): StorageError {
  return new StorageError(reason, messages[reason], { cause });
}

/** The error for a database that is reached and does not answer in time. */
export function slowDatabase(): StorageError {
  return databaseFault('slow', undefined);
}

/** Whether the database is reached, and has not answered in time. */
export function isSlow(error: unknown): boolean {
  return error instanceof StorageError && error.reason === 'slow';
}

/** Converts an error of the database or of the connection to a storage error. Returns other errors unchanged. */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof StorageError) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    const reason = reasons[code] ?? reasons[code.slice(0, 2)];
    return reason === undefined ? error : databaseFault(reason, error);
  }
  if (isPasswordMissing(error) || isCertificateError(error)) return databaseFault('inaccessible', error);
  const isNetwork = networkCodes.has(errorCode(error) ?? '') || textAt(error, 'syscall') === 'connect';
  return isNetwork || isConnectionError(error) ? databaseFault('unreachable', error) : error;
}

function isConnectionError(error: unknown): boolean {
  return error instanceof Error && error.constructor === Error && connectionMessages.test(error.message);
}
