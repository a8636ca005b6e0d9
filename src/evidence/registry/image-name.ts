import { UserError } from '../../runtime/failure.ts';
import { isUnencryptedUrl } from '../../runtime/unencrypted-url.ts';

export interface RegistryImage {
  /** The host as the Docker credentials file names it, with its port: `ghcr.io`, `index.docker.io`. */
  readonly host: string;
  /** Where the registry's API is. */
  readonly origin: string;
  /** The path of the image on the registry: `library/nginx`. */
  readonly repository: string;
  readonly tag: string;
}

const hostForm = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[a-f\d:]+\])(?::\d{1,5})?$/iu;
const partForm = /^[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*$/u;
const tagForm = /^\w[\w.-]{0,127}$/u;

/** The hosts of Docker Hub in the names of images; its API has another one. */
const dockerHub: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

/**
 * Parses `[host/]path[:tag]` as container tools do: the first part is a host if it has a dot, a colon or a bracket, or
 * is `localhost`. Without a host it is Docker Hub, whose images without a folder are in `library/`; without a tag it is
 * `latest`. A registry on the loopback is reached by plain http.
 *
 * @throws UserError if it is not the name of an image
 */
export function parseImageName(name: string): RegistryImage {
  const { host, path, tag } = splitName(name);
  const isValid = path.length <= 255 && path.split('/').every((part) => partForm.test(part)) && tagForm.test(tag);
  const url = hostForm.test(host) ? URL.parse(`http://${host}`) : null;
  if (!isValid || url === null) {
    throw new UserError({
      input: 'image',
      what: `\`image\` is ${JSON.stringify(name)}, which is not the name of an image`,
      remedy:
        'Write `registry/name:tag` with a lower-case name, such as `ghcr.io/acme/web:1.4`; if an expression is part of it, check that it is not empty.',
    });
  }
  if (dockerHub.has(host)) {
    const repository = path.includes('/') ? path : `library/${path}`;
    return { host: 'index.docker.io', origin: 'https://registry-1.docker.io', repository, tag };
  }
  return { host, origin: isUnencryptedUrl(url) ? `https://${host}` : url.origin, repository: path, tag };
}

function splitName(name: string): { readonly host: string; readonly path: string; readonly tag: string } {
  const [, first = ''] = /^([^/]*)\//u.exec(name) ?? [];
  const host = /[.:[]/u.test(first) || first === 'localhost' ? first : undefined;
  const rest = host === undefined ? name : name.slice(host.length + 1);
  const [, path = rest, tag = 'latest'] = /^([^:]*):(.*)$/su.exec(rest) ?? [];
  return { host: host ?? 'docker.io', path, tag };
}
