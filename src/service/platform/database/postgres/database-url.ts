import pg, { type ClientConfig } from 'pg';
import { StartError } from '../start-error.ts';

/** A PostgreSQL database, which may run on one of several servers. */
export interface DatabaseAddress {
  /** The settings for each server, in the order of the URL. */
  readonly servers: readonly ClientConfig[];
  /** The URL without credentials and parameters, for messages. */
  readonly shown: string;
}

const exampleUrl = 'postgres://compliance@db.example.com/compliance';

/** The parts before the servers, the servers, and the database with its parameters. */
const authorityForm = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(\/[^/?#]+.*)$/u;

/**
 * Parses the URL of a database: `postgres://user:password@host:port/database?sslmode=verify-full`. As in libpq, it may
 * name several servers, separated by commas: the service uses the one that accepts writes.
 *
 * @throws StartError if it is not such a URL; the message does not contain it, because it may have a password.
 */
export function parseDatabaseUrl(url: string, setting = '--database'): DatabaseAddress {
  const [, before, hosts, after] = authorityForm.exec(url) ?? [];
  if (before === undefined || hosts === undefined || after === undefined) throw invalidUrl(setting);
  const servers = hosts.split(',').map((host) => parseServer(`${before}${host}${after}`, setting));
  return { servers, shown: `postgres://${hosts}/${servers[0]?.database ?? ''}` };
}

function parseServer(url: string, setting: string): ClientConfig {
  if (URL.parse(url) === null) throw invalidUrl(setting);
  try {
    // The driver's own parser, so that its parameters keep their meaning; it also reads PGUSER, PGPASSWORD and so on.
    const { user, password, host, port, database, ssl } = new pg.Client({ connectionString: url });
    return { connectionString: url, user, password: password ?? undefined, host, port, database, ssl };
  } catch (error) {
    throw invalidUrl(setting, error);
  }
}

function invalidUrl(setting: string, cause?: unknown): StartError {
  return new StartError(
    `${setting} is not the URL of a PostgreSQL database; use a form such as ${exampleUrl}, and set the password ` +
      'in the variable PGPASSWORD',
    { cause },
  );
}
