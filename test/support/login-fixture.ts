import type { ServiceOptions } from '../../src/service/service.ts';
import {
  createSigningKey,
  type IdentityProvider,
  type SigningKey,
  signToken,
  startIdentityProvider,
} from '../../tools/identity-provider.ts';
import { administer } from './administration.ts';
import { startTestService, type TestService } from './service.ts';
import { call, type Called, mappingOf } from './service-call.ts';
import { sampleFlow } from './service-samples.ts';

type Claims = Readonly<Record<string, unknown>>;

/** A service whose organization `acme` has the flow `web`, and an issuer of identity tokens. */
export interface LoginFixture {
  readonly service: TestService;
  readonly provider: IdentityProvider;
  readonly key: SigningKey;
  /** The service's clock: `offset` is how far it is ahead of the system's, in milliseconds. */
  readonly clock: { offset: number; now(): number };
  /** What the service logged, without details. */
  readonly lines: readonly string[];
  /** Declares a login rule, by default `deploy`, for runs of `acme/web` on `main`. */
  saveRule(change?: Readonly<Record<string, unknown>>, name?: string): Promise<Called>;
  /** Signs a token for the service. */
  token(claims?: Claims): Promise<string>;
  logInWith(token: string, org?: string): Promise<Called>;
  /** Logs in, and returns the key. */
  logIn(claims?: Claims): Promise<string>;
  stop(): Promise<void>;
}

const rulePathOf = (name: string): string => `/organizations/acme/login-rules/${name}`;

/** The path of the login rule that `saveRule` declares by default. */
export const rulePath = rulePathOf('deploy');

/** The issuers of all tests of a file share it, because creating one takes as long as a test. */
let signingKey: Promise<SigningKey> | undefined;

/** Starts a service and an issuer. Call `stop` in the end. */
export async function startLoginFixture(options: Partial<ServiceOptions> = {}): Promise<LoginFixture> {
  const clock = { offset: 0, now: () => Date.now() + clock.offset };
  const key = await (signingKey ??= createSigningKey('one'));
  const provider = await startIdentityProvider(key);
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
  const service = await startTestService({
    options: { allowPrivateIssuers: true, ...options },
    sources: { now: () => clock.now(), log },
  });
  await call(service, { method: 'PUT', path: '/flows/acme', json: sampleFlow() });
  const token = (claims: Claims = {}): Promise<string> =>
    signToken(key, { iss: provider.issuer, aud: service.url, ...claims }, { now: clock.now() });
  const logInWith = (sent: string, org = 'acme'): Promise<Called> =>
    call(service, { method: 'POST', path: `/login/${org}`, key: sent });
  return {
    ...{ service, provider, key, clock, lines, token, logInWith },
    saveRule: (change = {}, name = 'deploy') =>
      administer(service, {
        method: 'PUT',
        path: rulePathOf(name),
        json: {
          ...{ issuer: provider.issuer, repository: 'acme/web', repository_id: '123' },
          ...{ refs: ['refs/heads/main'], events: ['push'], role: 'member', ...change },
        },
      }),
    logIn: async (claims) => String(mappingOf(await logInWith(await token(claims)))['key']),
    stop: async () => {
      await service.stop();
      await provider.stop();
    },
  };
}
