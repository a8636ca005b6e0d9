import { homedir } from 'node:os';
import { join } from 'node:path';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { UserError } from '../../runtime/failure.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { isMapping, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { inspectPath } from '../files/file-kind.ts';
import { readTextFile } from '../files/text-file.ts';

export interface DockerCredentials {
  readonly file: string;
  readonly password?: { readonly user: string; readonly password: string };
  /** A token that is exchanged for one that opens the registry, as Azure's registry issues them. */
  readonly identityToken?: string;
  /** The program that keeps the credentials instead. It is not run. */
  readonly helper?: string;
}

/** The maximum size of the credentials file, in bytes. */
const maximumBytes = 1024 * 1024;

/**
 * Reads what `docker login` wrote about a registry: `config.json` in `DOCKER_CONFIG`, else in `.docker` of the home
 * directory (Docker's documentation, "docker login").
 *
 * @param host as in `RegistryImage`
 * @throws UserError if there is a file that is not JSON; none of its content is quoted
 */
export async function readDockerCredentials(
  host: string,
  environment: EnvironmentVariables,
): Promise<DockerCredentials> {
  const { DOCKER_CONFIG: folder = '', HOME: home = '' } = environment;
  const file = join(folder === '' ? join(home === '' ? homedir() : home, '.docker') : folder, 'config.json');
  const found = inspectPath(file);
  if (found?.kind !== 'file') return { file };
  const rules = { purpose: 'Docker credentials', maximumBytes, input: 'image' };
  const config = parse(await readTextFile({ path: file, name: file, size: found.size }, rules), file);
  const entry = findEntry(valueAt(config, 'auths'), host);
  const helper = textAt(findEntry(valueAt(config, 'credHelpers'), host)) ?? textAt(config, 'credsStore');
  const identityToken = textAt(entry, 'identitytoken');
  const password = readPassword(entry);
  return omitUndefined({ file, password, identityToken, helper });
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw new UserError({
      input: 'image',
      what: `the Docker credentials file ${file} is not JSON`,
      remedy: 'Log in to the registry again, for example with docker/login-action, or remove the file.',
    });
  }
}

/** Keys are hosts, and URLs such as `https://index.docker.io/v1/`. */
function findEntry(entries: unknown, host: string): unknown {
  if (!isMapping(entries)) return undefined;
  return Object.entries(entries).find(([key]) => bareHost(key) === host)?.[1];
}

function bareHost(key: string): string {
  const host = key.replace(/^https?:\/\//u, '').replace(/(?:\/v\d)?\/?$/u, '');
  return host === 'docker.io' ? 'index.docker.io' : host;
}

function readPassword(entry: unknown): DockerCredentials['password'] {
  const [user, password] = [textAt(entry, 'username'), textAt(entry, 'password')];
  if (user !== undefined && password !== undefined) return { user, password };
  const [, name, secret] =
    /^([^:]+):(.+)$/su.exec(Buffer.from(textAt(entry, 'auth') ?? '', 'base64').toString('utf8')) ?? [];
  return name === undefined || secret === undefined ? undefined : { user: name, password: secret.replace(/\0+$/u, '') };
}
