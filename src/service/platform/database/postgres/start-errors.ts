import { errorCode, errorMessage } from '../../../../runtime/failure.ts';
import { textAt } from '../../../../runtime/untrusted-data.ts';
import { StartError } from '../start-error.ts';
import { StorageError, type StorageReason } from '../storage-error.ts';
import type { DatabaseAddress } from './database-url.ts';
import { isCertificateError, isPasswordMissing, translatePostgresError } from './postgres-errors.ts';

/** Why a database cannot be used, and what the operator can do. */
interface Explanation {
  readonly what: string;
  readonly remedy: string;
}

/** For errors that no more specific explanation has. */
const byReason: Readonly<Record<StorageReason, Explanation>> = {
  full: { what: 'the disk of the server is full', remedy: 'make room there' },
  busy: { what: 'another program has locked it', remedy: 'end the transaction of that program (pg_stat_activity)' },
  'read-only': { what: 'it is read-only', remedy: 'make it writable' },
  inaccessible: { what: 'the server refuses access', remedy: 'check the user and its rights' },
  missing: { what: 'a part of it is missing', remedy: 'restore a backup, or name another database' },
  exhausted: {
    what: 'the server has no connection or memory left',
    remedy: 'raise its limits (max_connections), or end what uses it',
  },
  failing: { what: 'the server reports an error', remedy: "see the server's log" },
  damaged: { what: 'it is damaged', remedy: 'restore a backup' },
  unreachable: {
    what: 'there is no connection to the server',
    remedy: 'check the host and the port in the URL, and that the server runs and accepts connections of this machine',
  },
  slow: {
    what: 'it did not answer in time',
    remedy: 'see in pg_stat_activity what it waits for: a lock, or a standby in synchronous_standby_names',
  },
};

/**
 * Converts an error of the database or of the connection at the start to a `StartError` with the address and the remedy.
 * Returns other errors unchanged.
 */
export function toDatabaseStartError(error: unknown, address: DatabaseAddress): unknown {
  const fault = translatePostgresError(error);
  if (!(fault instanceof StorageError)) return error;
  const cause = fault.cause ?? fault;
  const { what, remedy } = explain(cause, address) ?? byReason[fault.reason];
  const message = `the database ${address.shown} cannot be used: ${what} (${errorMessage(cause)}); ${remedy}`;
  return new StartError(message, { cause: error });
}

/** What messages name. */
interface Names {
  readonly user: string;
  readonly database: string;
  /** The host whose address was not found, if that is the error. */
  readonly host: string;
}

/** For error codes of PostgreSQL, and of Node.js. */
const byCode: Readonly<Record<string, (names: Names) => Explanation>> = {
  '3D000': ({ user, database }) => ({
    what: 'it does not exist',
    remedy: `create it (createdb --owner ${user} ${database}), or correct its name in the URL`,
  }),
  '28P01': ({ user }) => ({
    what: `the server refuses the user ${user} or the password`,
    remedy: 'correct the user in the URL, and the password in PGPASSWORD',
  }),
  '28000': ({ user }) => ({
    what: `the server does not let the user ${user} in`,
    remedy: "correct the user and sslmode in the URL, or change the server's pg_hba.conf",
  }),
  '42501': ({ user, database }) => ({
    what: `the user ${user} may not do everything in it`,
    remedy: `make the user the owner of its tables, and its owner (ALTER DATABASE ${database} OWNER TO ${user})`,
  }),
  ENOTFOUND: explainUnknownHost,
  EAI_AGAIN: explainUnknownHost,
};

function explainUnknownHost({ host }: Names): Explanation {
  return {
    what: `the address of the host ${host} was not found`,
    remedy: 'correct its name in the URL, or mend the resolution of names (DNS)',
  };
}

function explain(cause: unknown, { servers }: DatabaseAddress): Explanation | undefined {
  if (isPasswordMissing(cause)) return { what: 'the server wants a password', remedy: 'set it in PGPASSWORD' };
  if (isCertificateError(cause)) {
    const remedy = 'name the host as in the certificate, and the file of its authority with sslrootcert in the URL';
    return { what: "the server's certificate is not trusted", remedy };
  }
  if (errorMessage(cause).includes('does not support SSL')) {
    const remedy = 'turn it on there (ssl = on), or remove sslmode from the URL if the network is your own';
    return { what: 'the server has encryption turned off', remedy };
  }
  const { user = '', database = '' } = servers[0] ?? {};
  return byCode[errorCode(cause) ?? '']?.({ user, database, host: textAt(cause, 'hostname') ?? '' });
}

/** Runs a step of the start that uses a database, and converts its errors with `toDatabaseStartError`. */
export async function atDatabaseStart<Result>(address: DatabaseAddress, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toDatabaseStartError(error, address);
  }
}
