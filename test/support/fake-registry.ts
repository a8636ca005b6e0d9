import { createHash } from 'node:crypto';
import { type FakeReply, type FakeRequest, startFakeServer } from './fake-server.ts';

/** An image as a registry holds it. */
export interface StoredManifest {
  readonly type: string;
  readonly text: string;
  /** 64 hex digits. */
  readonly digest: string;
}

export interface RegistrySettings {
  /** What it asks for before it shows an image. */
  readonly access?: 'open' | 'token' | 'password';
  /** Overrides all other responses. */
  readonly fault?: (request: FakeRequest) => FakeReply | undefined;
}

/** A registry of the OCI distribution specification on the loopback interface, as far as it is read. */
export interface FakeRegistry {
  /** As images name it. */
  readonly host: string;
  readonly requests: readonly FakeRequest[];
  pushImage(repository: string, tag: string): string;
  /** Stores an image for two platforms, and returns the digest of its index. */
  pushIndex(repository: string, tag: string): string;
  close(): Promise<void>;
}

/** The user of the registry, with a password that is long enough to be masked. */
export const registryUser = { name: 'robot', password: 'password-of-the-robot' } as const;
export const identityToken = 'identity-token-of-the-robot';
export const registryToken = 'token-that-opens-one-image';

const oci = 'application/vnd.oci.image';

/** An image manifest of one platform. */
export function imageManifest(architecture = 'amd64'): StoredManifest {
  const config = { mediaType: `${oci}.config.v1+json`, digest: `sha256:${sha256(architecture)}`, size: 2 };
  return toManifest(`${oci}.manifest.v1+json`, { config, layers: [] });
}

/** The index of an image for two platforms. */
export function imageIndex(): StoredManifest {
  const manifests = ['amd64', 'arm64'].map((architecture) => {
    const { type: mediaType, text, digest } = imageManifest(architecture);
    return { mediaType, digest: `sha256:${digest}`, size: text.length, platform: { architecture, os: 'linux' } };
  });
  return toManifest(`${oci}.index.v1+json`, { manifests });
}

function toManifest(type: string, content: object): StoredManifest {
  const text = JSON.stringify({ schemaVersion: 2, mediaType: type, ...content });
  return { type, text, digest: sha256(text) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Starts a registry on a free port. The caller must close it. */
export async function startRegistry(settings: RegistrySettings = {}): Promise<FakeRegistry> {
  const { access = 'open', fault } = settings;
  const manifests = new Map<string, StoredManifest>();
  const server = await startFakeServer((request) => fault?.(request) ?? answer(request));
  const host = `127.0.0.1:${server.port}`;

  function answer(request: FakeRequest): FakeReply {
    const { pathname, searchParams } = new URL(request.url, server.url);
    if (pathname === '/token') return answerToken(request, searchParams);
    const [, repository = '', reference = ''] = /^\/v2\/(.+)\/manifests\/([^/]+)$/u.exec(pathname) ?? [];
    if (!isAllowed(request)) return { status: 401, headers: { 'www-authenticate': challenge(repository) } };
    if (pathname === '/v2/') return { status: 200, body: '{}' };
    const found = manifests.get(`${repository}:${reference}`);
    if (found === undefined || request.headers.accept?.includes(found.type) !== true)
      return { status: 404, body: '{}' };
    const { type, text, digest } = found;
    return { status: 200, headers: { 'content-type': type, 'docker-content-digest': `sha256:${digest}` }, body: text };
  }

  function isAllowed({ headers: { authorization } }: FakeRequest): boolean {
    const required = { open: undefined, token: `Bearer ${registryToken}`, password: basic() }[access];
    return required === undefined || authorization === required;
  }

  function challenge(repository: string): string {
    if (access === 'password') return 'Basic realm="Registry"';
    return `Bearer realm="${server.url}/token",service="registry.example.com",scope="repository:${repository}:pull"`;
  }

  function answerToken({ method, headers, body }: FakeRequest, query: URLSearchParams): FakeReply {
    const given = method === 'POST' ? new URLSearchParams(body) : query;
    const isKnown =
      method === 'POST'
        ? given.get('grant_type') === 'refresh_token' && given.get('refresh_token') === identityToken
        : headers.authorization === basic();
    const isRight =
      given.get('service') === 'registry.example.com' && /^repository:.+:pull$/u.test(given.get('scope') ?? '');
    if (!isKnown || !isRight) return { status: 401, body: '{"details":"no"}' };
    const token = method === 'POST' ? { access_token: registryToken } : { token: registryToken, expires_in: 300 };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(token) };
  }

  const push = (repository: string, tag: string, manifest: StoredManifest): string => {
    for (const reference of [tag, `sha256:${manifest.digest}`]) manifests.set(`${repository}:${reference}`, manifest);
    return manifest.digest;
  };
  return {
    host,
    requests: server.requests,
    pushImage: (repository, tag) => push(repository, tag, imageManifest()),
    pushIndex: (repository, tag) => push(repository, tag, imageIndex()),
    close: () => server.close(),
  };
}

/** The value of `Authorization` for the user. */
export function basic(): string {
  return `Basic ${Buffer.from(`${registryUser.name}:${registryUser.password}`).toString('base64')}`;
}

/** The content of a Docker credentials file as `docker login` writes it. */
export function dockerConfig(host: string): string {
  return JSON.stringify({ auths: { [host]: { auth: basic().replace('Basic ', '') } } });
}
