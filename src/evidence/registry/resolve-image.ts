import { hash } from 'node:crypto';
import { type CallContext, sendWithRetry } from '../../http/send-with-retry.ts';
import { type HttpRequest, type HttpResponse, TransportError } from '../../http/transport.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { ExternalError, type Failure, UserError } from '../../runtime/failure.ts';
import { valueAt } from '../../runtime/untrusted-data.ts';
import { version } from '../../runtime/version.ts';
import { type DockerCredentials, readDockerCredentials } from './docker-credentials.ts';
import { parseImageName, type RegistryImage } from './image-name.ts';
import { resolveLayoutImage } from './oci-layout.ts';
import { basicAuthorization, isTrustedUrl, parseChallenge, readToken, tokenRequest } from './registry-login.ts';

const layoutPrefix = 'oci:';

export interface RegistryContext {
  readonly call: CallContext;
  readonly environment: EnvironmentVariables;
  readonly workspace: string;
  /** Called with each credential before it is used, to mask it. */
  readonly addSecret: (secret: string) => void;
}

/** The kinds of manifests (OCI image specification, and Docker's before it); an index is of several platforms. */
const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

const maximumRedirects = 3;

/**
 * The digest of an image in a registry, or in a folder.
 *
 * @param name an image without digest: `ghcr.io/acme/web:1`, `oci:build/image`
 * @returns 64 lowercase hex digits
 * @throws Failure if there is no such image
 */
export function resolveImage(name: string, context: RegistryContext): Promise<string> {
  return name.startsWith(layoutPrefix)
    ? resolveLayoutImage(name.slice(layoutPrefix.length), context.workspace)
    : askRegistry(name, context);
}

/**
 * Asks a registry which digest a tag names now: of an image for several platforms, that of its index. The digest is
 * computed from the answer.
 *
 * Credentials are sent only if the registry asks for them, to its own host or to the address that it names for tokens,
 * and never to the target of a redirect.
 *
 * @throws Failure if there is no such image, it may not be read, or the registry gives no valid answer
 */
async function askRegistry(name: string, context: RegistryContext): Promise<string> {
  const image = parseImageName(name);
  const url = new URL(`${image.origin}/v2/${image.repository}/manifests/${image.tag}`);
  const headers = { accept: manifestTypes.join(', ') };
  let answer = await send({ method: 'GET', url, headers }, image, context);
  let credentials: DockerCredentials | undefined;
  if (answer.status === 401) {
    credentials = await readDockerCredentials(image.host, context.environment);
    const authorization = await authorize(answer, image, credentials, context);
    if (authorization !== undefined) {
      answer = await send({ method: 'GET', url, headers: { ...headers, authorization } }, image, context);
    }
  }
  let from = url;
  for (let redirects = 0; redirects < maximumRedirects; redirects += 1) {
    const target = findRedirect(answer, from, image);
    if (target === undefined) break;
    answer = await send({ method: 'GET', url: target, headers }, image, context);
    from = target;
  }
  if (answer.status !== 200) throw toStatusFailure(answer.status, name, image, credentials);
  return digestOf(answer, name, image);
}

/** @returns the value of `Authorization`; undefined if the registry asks for something that there is not */
async function authorize(
  answer: HttpResponse,
  image: RegistryImage,
  credentials: DockerCredentials,
  context: RegistryContext,
): Promise<string | undefined> {
  const challenge = parseChallenge(answer.headers['www-authenticate'] ?? '', image);
  for (const secret of [credentials.password?.password, credentials.identityToken]) {
    if (secret !== undefined) context.addSecret(secret);
  }
  if (challenge === undefined) return undefined;
  if (challenge === 'basic') return basicAuthorization(credentials);
  const given = await send(tokenRequest(challenge, image, credentials), image, context);
  if (given.status === 400 || given.status === 401 || given.status === 403) return undefined;
  const token = given.status === 200 ? readToken(given) : undefined;
  if (token === undefined) {
    throw new ExternalError({
      what: `${challenge.realm.host} was asked for a token for the registry ${image.host}, and answered ${given.status} without one`,
      remedy: 'Try again later, or give the image with its digest: `name@sha256:…`.',
    });
  }
  context.addSecret(token);
  return `Bearer ${token}`;
}

async function send(request: HttpRequest, { host }: RegistryImage, { call }: RegistryContext): Promise<HttpResponse> {
  const headers = { ...request.headers, 'user-agent': `compliance-action/${version}` };
  try {
    const { answer } = await sendWithRetry(`registry ${host}`, { ...request, headers }, call);
    return answer;
  } catch (thrown) {
    if (call.signal?.aborted === true || !(thrown instanceof TransportError)) throw thrown;
    throw new ExternalError({
      what: `the registry ${host} gave no answer to ${request.method} ${request.url.origin}${request.url.pathname}: ${thrown.message}`,
      remedy:
        'Check the name of the registry in `image`, and that the runner can reach it: its network, DNS, HTTPS_PROXY and NO_PROXY, and NODE_EXTRA_CA_CERTS for a private certificate.',
      cause: thrown,
    });
  }
}

function findRedirect({ status, headers }: HttpResponse, from: URL, image: RegistryImage): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const target = URL.parse(headers['location'] ?? '', from.href);
  return target !== null && isTrustedUrl(target, image) ? target : undefined;
}

function toStatusFailure(
  status: number,
  name: string,
  { host }: RegistryImage,
  credentials: DockerCredentials | undefined,
): Failure {
  if (status === 404) {
    return new UserError({
      input: 'image',
      what: `the registry ${host} has no image ${name} (404)`,
      remedy: 'Check the name and the tag, and that the step that pushes the image comes first.',
    });
  }
  if (status === 401 || status === 403) {
    return new UserError({
      input: 'image',
      what: `the registry ${host} does not show the image ${name} (${status}): it does not exist, or ${describeCredentials(host, credentials)}`,
      remedy:
        'Log in to the registry in an earlier step, for example with docker/login-action, or give the image with its digest: `name@sha256:…`.',
    });
  }
  return new ExternalError({
    what: `the registry ${host} answered ${status} when it was asked for the image ${name}`,
    remedy: 'Check the name of the registry in `image`, or try again later.',
  });
}

/** Which credentials the registry has refused. */
function describeCredentials(host: string, credentials: DockerCredentials | undefined): string {
  const { file, password, identityToken, helper } = credentials ?? { file: 'the Docker credentials file' };
  if (password !== undefined || identityToken !== undefined) return `may not be read with the credentials in ${file}`;
  if (helper === undefined) return `needs credentials, and ${file} has none for ${host}`;
  return `needs credentials, which ${file} leaves to the credential helper ${JSON.stringify(helper)}; this action runs no helpers`;
}

/** @throws ExternalError if the answer is not a manifest, or not the one that the registry says it is */
function digestOf({ text, headers }: HttpResponse, name: string, { host }: RegistryImage): string {
  const digest = hash('sha256', text, 'hex');
  const named = /^sha256:([a-f0-9]{64})$/u.exec(headers['docker-content-digest'] ?? '')?.[1] ?? digest;
  if (named === digest && isManifest(text)) return digest;
  throw new ExternalError({
    what:
      named === digest
        ? `the registry ${host} answered something that is not the manifest of ${name}`
        : `the registry ${host} says that ${name} has the digest sha256:${named}, but its answer has sha256:${digest}`,
    remedy: 'Look for a proxy or a login page that answers in place of the registry.',
  });
}

/** Whether the text is an index or a manifest. Docker's first format, whose digest does not cover its text, is not. */
function isManifest(text: string): boolean {
  try {
    const manifest: unknown = JSON.parse(text);
    const parts = [valueAt(manifest, 'manifests'), valueAt(manifest, 'layers')];
    return valueAt(manifest, 'schemaVersion') === 2 && parts.some(Array.isArray);
  } catch {
    return false;
  }
}
