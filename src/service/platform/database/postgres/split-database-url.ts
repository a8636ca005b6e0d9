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
 * Splits the URL of a database into one URL for each of its servers. Every command loads this file to check its options,
 * so it does not load the driver, which SQLite does not need.
 *
 * @throws StartError if it is not such a URL; the message does not contain it, because it may have a password.
 */
export function splitDatabaseUrl(url: string, setting = '--database'): SplitUrl {
  const [, before, hosts, after] = authorityForm.exec(url) ?? [];
  if (before === undefined || hosts === undefined || after === undefined) throw invalidUrl(setting);
  const urls = hosts.split(',').map((host) => `${before}${host}${after}`);
  if (!urls.every((one) => URL.canParse(one))) throw invalidUrl(setting);
  requireReadableEncryption(new URL(after, 'http://any.invalid').searchParams, setting);
  return { urls, hosts };
}

/** The driver ignores unknown parameters, so that a misspelt or empty `sslmode` would leave the connection unencrypted. */
function requireReadableEncryption(given: URLSearchParams, setting: string): void {
  if ([...given.keys()].some((name) => /^ssl[-_]?mo/iu.test(name) && name !== 'sslmode'))
    throw new StartError(`${setting} has an unknown parameter about encryption; its name is sslmode`);
  if (given.get('sslmode') === '')
    throw new StartError(`sslmode in ${setting} must not be empty; set it to verify-full, or leave it out`);
}

function invalidUrl(setting: string): StartError {
  return new StartError(
    `${setting} is not the URL of a PostgreSQL database; use a form such as ${exampleUrl}, and set the password ` +
      'in the variable PGPASSWORD',
  );
}
