import { StartError } from '../start-error.ts';

const exampleUrl = 'postgres://compliance@db.example.com/compliance';

/** The parts before the servers, the servers, and the database with its parameters. */
const authorityForm = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(\/[^/?#]+.*)$/u;

interface SplitUrl {
  /** The URL for each server, in their order. */
  readonly urls: readonly string[];
  /** The names and ports of the servers. */
  readonly hosts: string;
}

/**
 * Splits the URL of a database on several servers. Without the driver, which a service with SQLite does not load.
 *
 * @throws StartError if it is not such a URL; the message does not contain it, because it may have a password.
 */
export function splitDatabaseUrl(url: string, setting = '--database'): SplitUrl {
  const [, before, hosts, after] = authorityForm.exec(url) ?? [];
  if (before === undefined || hosts === undefined || after === undefined) throw invalidUrl(setting);
  const urls = hosts.split(',').map((host) => `${before}${host}${after}`);
  if (!urls.every((one) => URL.canParse(one))) throw invalidUrl(setting);
  return { urls, hosts };
}

export function invalidUrl(setting: string, cause?: unknown): StartError {
  return new StartError(
    `${setting} is not the URL of a PostgreSQL database; use a form such as ${exampleUrl}, and set the password ` +
      'in the variable PGPASSWORD',
    { cause },
  );
}
