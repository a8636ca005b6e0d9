import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import type { EnvironmentVariables } from '../src/runtime/dependencies.ts';
import { textAt } from '../src/runtime/untrusted-data.ts';
import { serve } from './loopback-server.ts';

/** A key of an issuer. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** Creates an RSA key. */
export async function createSigningKey(kid: string): Promise<SigningKey> {
  const pair = await generateKeyPair('RS256', { extractable: true });
  return { kid, ...pair };
}

/** The claims of GitHub's token for a push to `main` of `acme/web`, without those about the token itself. */
export const pushClaims = {
  sub: 'repo:acme/web:ref:refs/heads/main',
  ref: 'refs/heads/main',
  sha: 'a'.repeat(40),
  repository: 'acme/web',
  repository_id: '123',
  repository_owner: 'acme',
  repository_owner_id: '7',
  repository_visibility: 'private',
  run_id: '4711',
  run_attempt: '1',
  workflow: 'CI',
  workflow_ref: 'acme/web/.github/workflows/ci.yml@refs/heads/main',
  event_name: 'push',
  actor: 'octocat',
  actor_id: '1',
} as const;

/** Signs a token like GitHub's, valid from now on for five minutes. */
export function signToken(
  key: Pick<SigningKey, 'kid' | 'privateKey'>,
  claims: Readonly<Record<string, unknown>>,
  header: { readonly alg?: string; readonly now?: number } = {},
): Promise<string> {
  const { alg = 'RS256', now = Date.now() } = header;
  const time = Math.floor(now / 1000);
  return new SignJWT({ ...pushClaims, jti: randomUUID(), iat: time, nbf: time, exp: time + 300, ...claims })
    .setProtectedHeader({ alg, kid: key.kid, typ: 'JWT' })
    .sign(key.privateKey);
}

/** The variables that a runner sets in a job with `permissions: id-token: write`. */
export interface TokenVariables extends Readonly<Record<string, string>> {
  readonly ACTIONS_ID_TOKEN_REQUEST_URL: string;
  readonly ACTIONS_ID_TOKEN_REQUEST_TOKEN: string;
}

/** The claims that GitHub derives from the variables of a job, in a private repository. */
export function jobClaims(variables: EnvironmentVariables): Readonly<Record<string, unknown>> {
  const { GITHUB_REPOSITORY: repository = '', GITHUB_REF: ref = '', GITHUB_EVENT_NAME: event = '' } = variables;
  return {
    sub: `repo:${repository}:${event === 'pull_request' ? event : `ref:${ref}`}`,
    ref,
    sha: variables['GITHUB_SHA'],
    repository,
    repository_id: variables['GITHUB_REPOSITORY_ID'],
    run_id: variables['GITHUB_RUN_ID'],
    run_attempt: variables['GITHUB_RUN_ATTEMPT'],
    workflow: variables['GITHUB_WORKFLOW'],
    workflow_ref: `${repository}/.github/workflows/ci.yml@${ref}`,
    event_name: event,
    actor: variables['GITHUB_ACTOR'],
  };
}

const tokenPath = '/job-token';

/** A real OpenID Connect provider on the loopback interface. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Has the provider itself issue a token with the claims of GitHub. */
  issueToken(audience: string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Lets a job request tokens with these claims. Returns the variables that a runner gives it for that. */
  openJob(claims: Readonly<Record<string, unknown>>): TokenVariables;
  /** Replaces its keys. */
  rotate(key: SigningKey): Promise<void>;
  /** Answers every request with an error until it is called with false. */
  setDown(isDown: boolean): void;
  stop(): Promise<void>;
}

export async function startIdentityProvider(key: SigningKey): Promise<IdentityProvider> {
  const state = { isDown: false, claims: {} as Readonly<Record<string, unknown>> };
  let handle: (...exchange: Parameters<ReturnType<Provider['callback']>>) => unknown = () => undefined;
  let issuer = 'http://127.0.0.1';
  const jobs = new Map<string, Readonly<Record<string, unknown>>>();
  const giveToken = async (url: URL, { headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const claims = jobs.get(headers.authorization ?? '');
    if (claims === undefined) {
      response.writeHead(401).end();
      return;
    }
    const value = await signToken(key, { ...claims, iss: issuer, aud: url.searchParams.get('audience') });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ value }));
  };
  const server = await serve((request, response) => {
    const url = new URL(request.url ?? '', issuer);
    if (state.isDown) response.writeHead(502).end();
    else if (url.pathname === tokenPath) void giveToken(url, request, response);
    else void handle(request, response);
  });
  issuer = server.url;
  const signWith = async (own: SigningKey): Promise<void> => {
    const provider = createProvider(issuer, await toPrivateJwk(own), () => state.claims);
    handle = provider.callback();
  };
  await signWith(key);
  return {
    issuer,
    issueToken: async (audience, claims = {}) => {
      state.claims = { ...pushClaims, ...claims };
      const form = { grant_type: 'client_credentials', resource: audience };
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from('runner:secret').toString('base64')}` },
        body: new URLSearchParams(form),
      });
      const body: unknown = await response.json();
      const token = textAt(body, 'access_token');
      if (token === undefined) throw new Error(`the provider answered ${response.status}: ${JSON.stringify(body)}`);
      return token;
    },
    openJob: (claims) => {
      const token = `job-${jobs.size + 1}`;
      jobs.set(`Bearer ${token}`, claims);
      return {
        ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer}${tokenPath}?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: token,
      };
    },
    rotate: signWith,
    setDown: (isDown) => {
      state.isDown = isDown;
    },
    stop: () => server.close(),
  };
}

class NoStorage {
  upsert(): Promise<void> {
    return Promise.resolve();
  }

  find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

function createProvider(issuer: string, key: JWK, claims: () => Readonly<Record<string, unknown>>): Provider {
  return new Provider(issuer, {
    // The tokens are not kept.
    adapter: NoStorage,
    ttl: { ClientCredentials: 300 },
    jwks: { keys: [key] },
    clients: [
      {
        ...{ client_id: 'runner', client_secret: 'secret', redirect_uris: [], response_types: [] },
        grant_types: ['client_credentials'],
      },
    ],
    extraTokenClaims: () => claims(),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({
          ...{ scope: '', audience, accessTokenFormat: 'jwt' },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
}

async function toPrivateJwk({ kid, privateKey }: SigningKey): Promise<JWK> {
  return { ...(await exportJWK(privateKey)), kid, use: 'sig', alg: 'RS256' };
}
