import pg, { type ClientConfig } from 'pg';
import { errorMessage } from '../../../../runtime/failure.ts';
import { StartError } from '../start-error.ts';
import { splitDatabaseUrl } from './split-database-url.ts';

/** A PostgreSQL database, which may run on one of several servers. */
export interface DatabaseAddress {
  /** The settings for each server, in the order of the URL. */
  readonly servers: readonly ClientConfig[];
  /** The URL without credentials and parameters, for messages. */
  readonly shown: string;
}

/**
 * Parses the URL of a database: `postgres://user:password@host:port/database?sslmode=verify-full`. As in libpq, it may
 * name several servers, separated by commas: the service uses the one that accepts writes.
 *
 * @throws StartError if it is not such a URL, or names a file that cannot be read; the message does not contain the
 * URL, because it may have a password.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const { urls, hosts } = splitDatabaseUrl(url);
  const servers = urls.map(parseServer);
  return { servers, shown: `postgres://${hosts}/${servers[0]?.database ?? ''}` };
}

function parseServer(url: string): ClientConfig {
  try {
    // The driver's own parser, so that its parameters keep their meaning; it also reads PGUSER, PGPASSWORD and so on.
    const { user, password, host, port, database, ssl } = new pg.Client({ connectionString: url });
    return { connectionString: url, user, password: password ?? undefined, host, port, database, ssl };
  } catch (error) {
    const why = error instanceof URIError ? 'what it encodes with % is not UTF-8' : errorMessage(error);
    throw new StartError(`the URL of the database cannot be used: ${why}`, { cause: error });
  }
}
