import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allowArtifact, disallowArtifact } from '../../../../../src/contract/allow-list.ts';
import { apiEndpoints } from '../../../../../src/contract/api-endpoints.ts';
import { removeAttachment } from '../../../../../src/contract/attachment-removal.ts';
import { getStatement } from '../../../../../src/contract/attestation-statement.ts';
import { createFlow } from '../../../../../src/contract/flow.ts';
import { logIn } from '../../../../../src/contract/login.ts';
import { detachPolicy } from '../../../../../src/contract/policy.ts';
import { type Role, roles } from '../../../../../src/contract/role.ts';
import { deleteServiceAccount } from '../../../../../src/contract/service-account.ts';
import { getDefaultOrg, setDefaultOrg } from '../../../../../src/contract/user.ts';
import {
  createServiceAccount,
  createServiceAccountKey,
  createUnlimitedKey,
  keyIdOf,
  removeMember,
  revokeKey,
  saveMember,
} from '../../../../support/administration.ts';
import { changePolicies } from '../../../../support/environment-samples.ts';
import { everyEndpoint } from '../../../../support/every-endpoint.ts';
import { prepareEverything } from '../../../../support/prepare-organization.ts';
import { startTestService, type TestService } from '../../../../support/service.ts';
import { call, type Called, mappingOf } from '../../../../support/service-call.ts';
import { sampleSigningKeys } from '../../../../support/signing-keys.ts';

/** A clock that can go forward by a minute, after which failed authentications are counted from zero. */
function minuteClock(): { now(): number; advance(): void } {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    advance: () => {
      offset += 60_000;
    },
  };
}

/** All tests share one service: their requests can be repeated, if what they delete is created again. */
const clock = minuteClock();
let service: TestService;
let keys: Keys;

/** Keys of both organizations, which are created once. */
interface Keys {
  /** Of a user of `acme` with the role. */
  readonly user: RoleKeys;
  /** Of a service account of `acme` with the role. */
  readonly machine: RoleKeys;
  /** Of an administrator of `other` with the role in `acme`. */
  readonly mixed: RoleKeys;
  readonly foreignAdmin: string;
  /** Of an administrator of `other` who is no longer a member of `acme`. */
  readonly removed: string;
  readonly revoked: string;
}

type RoleKeys = (role: Role) => string;

async function createKeys(): Promise<Keys> {
  const foreignAdmin = await service.createOrganization('other');
  const forEveryRole = async (create: (role: Role) => Promise<string>): Promise<RoleKeys> => {
    const created = new Map(await Promise.all(roles.map(async (role) => [role, await create(role)] as const)));
    return (role) => created.get(role) ?? '';
  };
  const createMixedKey = async (owner: string, role: Role): Promise<string> => {
    const key = await createUnlimitedKey(service, { owner, role: 'admin' }, 'other');
    await saveMember(service, owner, role);
    return key;
  };
  const removed = await createMixedKey('eve', 'admin');
  await removeMember(service, 'eve');
  const revoked = await service.createKey('admin');
  expect((await revokeKey(service, 'admin-of-acme', revoked)).status).toBe(200);
  return {
    user: await forEveryRole((role) => service.createKey(role)),
    machine: await forEveryRole(async (role) => {
      await createServiceAccount(service, { name: `with-${role}`, privilege: role });
      return createServiceAccountKey(service, `with-${role}`);
    }),
    mixed: await forEveryRole((role) => createMixedKey(`mixed-${role}`, role)),
    foreignAdmin,
    removed,
    revoked,
  };
}

beforeAll(async () => {
  service = await startTestService({
    options: { signingKeys: sampleSigningKeys },
    sources: { now: () => clock.now() },
  });
  keys = await createKeys();
  await prepareEverything(service, 'acme', service.apiKey);
});

afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.stop();
});

const basic = (words: string): string => `Basic ${Buffer.from(words).toString('base64')}`;

/** What does not authenticate anybody. */
const wrongCredentials = (): readonly string[] => [
  basic(service.apiKey),
  basic(`:${service.apiKey}`),
  `Bearer nobody_${'x'.repeat(43)}`,
  `Bearer ${service.apiKey.slice(0, -1)}x`,
  `Bearer ${service.apiKey}x`,
  `Bearer ${keyIdOf(service.apiKey)}`,
  'Bearer',
  service.apiKey,
  `Bearer ${service.apiKey} ${service.apiKey}`,
  `Digest ${service.apiKey}`,
  `Bearer ${service.adminKey}`,
  'Basic ~~~',
  '',
];

/** All endpoints share what reads credentials, so only the first with these kinds of authentication gets all of them. */
const firstOfTheirKind = new Set(
  [...Map.groupBy(everyEndpoint, ({ endpoint }) => endpoint.authentication.join()).values()].map(
    ([first]) => first?.endpoint,
  ),
);

describe.each(everyEndpoint)('the authentication of $endpoint.title', ({ endpoint, allowed, request }) => {
  beforeAll(() => {
    clock.advance();
  });
  /** Creates again what the request deletes. */
  const restore = async (): Promise<void> => {
    if (endpoint === detachPolicy) await changePolicies(service, 'POST', 'prod', ['provenance']);
    if (endpoint === deleteServiceAccount) await createServiceAccount(service);
    if (endpoint === disallowArtifact) {
      for (const one of everyEndpoint) if (one.endpoint === allowArtifact) await call(service, one.request('acme'));
    }
  };
  afterEach(restore);

  const statusWith = async (authorization: string): Promise<number> => {
    const { status } = await call(service, { ...request('acme'), key: null, headers: { authorization } });
    return status;
  };
  /** Only one operation is deprecated; then each of its responses says so. */
  const deprecation = endpoint === createFlow ? '@1767225600' : null;
  const success = endpoint.success.map(({ status }) => status as number);
  const isFirst = firstOfTheirKind.has(endpoint);
  /** `held` is the role of the key in the organization; undefined if the key must not learn anything about it. */
  const forbidden = (org: string, held?: Role): unknown => {
    const message = endpoint.errors.find(({ status }) => status === 403)?.message ?? '';
    const body = { message: message.replace('{org}', org) };
    if (held === undefined || endpoint === setDefaultOrg) return body;
    const needed = roles.filter((role) => allowed.includes(role)).join(' or ');
    const authorization = `is an API key with the role ${held}; this needs the role ${needed}`;
    return { ...body, errors: { authorization } };
  };

  it.each(roles)('depends on the role %s, of a user and of a service account', async (role) => {
    const user = await call(service, { ...request('acme'), key: keys.user(role) });
    const mayUser = allowed.includes(role);
    if (mayUser) expect(success).toContain(user.status);
    else expect([user.status, user.body]).toEqual([403, forbidden('acme', role)]);
    expect(user.headers.get('deprecation')).toBe(deprecation);
    await restore();
    const machine = await call(service, { ...request('acme'), key: keys.machine(role) });
    // A machine has no default organization.
    if (mayUser && endpoint !== setDefaultOrg) expect(success).toContain(machine.status);
    else expect([machine.status, machine.body]).toEqual([403, forbidden('acme', role)]);
  });

  it('depends on the role in this organization, not on the role in another', async () => {
    for (const role of isFirst ? roles : (['reader'] as const)) {
      const { status, body } = await call(service, { ...request('acme'), key: keys.mixed(role) });
      if (allowed.includes(role)) expect(success).toContain(status);
      else expect([status, body]).toEqual([403, forbidden('acme', role)]);
      await restore();
    }
    if (!isFirst) return;
    const { status, body } = await call(service, { ...request('acme'), key: keys.removed });
    expect([status, body]).toEqual([403, forbidden('acme')]);
  });

  it('accepts a basic key if, and only if, it is declared', async () => {
    const declared = endpoint.authentication.includes('basic');
    const words = [`${service.apiKey}:`, `${service.apiKey}:any password`, `${service.apiKey}:a:b`];
    for (const word of isFirst ? words : words.slice(0, 1)) {
      const status = await statusWith(basic(word));
      if (declared) expect(success).toContain(status);
      else expect(status).toBe(401);
    }
  });

  it('rejects anything else, and says how to authenticate', async () => {
    const challenges = endpoint.authentication.includes('basic') ? /^Bearer .*, Basic / : /^Bearer realm="compliance"$/;
    for (const authorization of isFirst ? wrongCredentials() : ['', `Bearer ${service.apiKey}x`]) {
      const headers: Record<string, string> = authorization === '' ? {} : { authorization };
      const { status, body, headers: answered } = await call(service, { ...request('acme'), key: null, headers });
      expect([authorization, status]).toEqual([authorization, 401]);
      expect(body).toMatchObject({
        message: 'Authentication is required',
        errors: { authorization: expect.any(String) },
      });
      expect(answered.get('www-authenticate')).toMatch(challenges);
      expect(answered.get('deprecation')).toBe(deprecation);
    }
  });

  it('rejects keys of other organizations, with the same error whether the organization exists or not', async () => {
    const refused = [
      ['acme', keys.foreignAdmin],
      ['nobody', keys.foreignAdmin],
      ['other', service.apiKey],
    ] as const;
    for (const [org, key] of refused) {
      const { status, body } = await call(service, { ...request(org), key });
      expect([status, body]).toEqual([403, forbidden(org)]);
    }
  });

  if (isFirst) {
    it('accepts a bearer key, in upper or lower case', async () => {
      expect(success).toContain(await statusWith(`bearer  ${service.apiKey}`));
    });

    it('rejects a revoked key', async () => {
      expect(await statusWith(`Bearer ${keys.revoked}`)).toBe(401);
    });

    it('rejects a malformed name of an organization like one that does not exist', async () => {
      for (const org of ['%00', 'a%00b', 'a%20b', '%EF%BF%BF']) {
        const { status, body } = await call(service, { ...request(org), key: service.apiKey });
        expect([status, body]).toEqual([403, forbidden(decodeURIComponent(org))]);
        for (const key of [null, `nobody_${'x'.repeat(43)}`]) {
          expect((await call(service, { ...request(org), key })).status).toBe(401);
        }
      }
    });
  }

  it('happens before anything else of the request is validated', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { method = 'GET', path } = request('acme');
    const body = method === 'GET' ? {} : { body: 'nonsense' };
    expect((await call(service, { method, path, ...body, headers, key: null })).status).toBe(401);
    expect((await call(service, { method, path, ...body, headers, key: keys.foreignAdmin })).status).toBe(403);
  });
});

describe('two organizations', () => {
  it('have records of their own under the same names', async () => {
    await prepareEverything(service, 'other', keys.foreignAdmin);
    const find = (org: string, key: string, query = ''): Promise<Called> =>
      call(service, { path: `/artifacts/${org}/web/fingerprint/abcdef${query}`, key });
    const [own, foreign] = [await find('acme', service.apiKey), await find('other', keys.foreignAdmin)];
    const id = String(mappingOf(own)['id']);
    expect(mappingOf(foreign)['id']).not.toBe(id);
    expect((await find('other', keys.foreignAdmin, `?attestation_id=${id}`)).status).toBe(404);
  });
});

/** Endpoints without a request above, because it could not be sent twice. */
const others = apiEndpoints.filter((endpoint) => !everyEndpoint.some((sample) => sample.endpoint === endpoint));
const administration = others.filter(({ path }) => /^\/(?:organizations|service-accounts)\//u.test(path));

describe.each(administration)('the authorization of $title', ({ method, path, body }) => {
  const values: Readonly<Record<string, string>> = { notification_number: '999', position: '0' };
  const send = (key: string, org = 'acme'): Promise<Called> => {
    const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
      name === 'org' ? org : (values[name] ?? 'none'),
    );
    return call(service, { method, path: filled, key, ...(body.kind === 'json' ? { json: {} } : {}) });
  };

  it('is for admins of the organization, users and service accounts', async () => {
    for (const key of [keys.user('admin'), keys.machine('admin'), keys.mixed('admin')]) {
      // The request asks for something that does not exist, or says nothing.
      expect([400, 404]).toContain((await send(key)).status);
    }
    for (const role of roles.filter((name) => name !== 'admin')) {
      for (const key of [keys.user(role), keys.machine(role), keys.mixed(role)]) {
        expect((await send(key)).status).toBe(403);
      }
    }
  });

  it('rejects keys of other organizations, removed members and revoked keys', async () => {
    for (const key of [keys.foreignAdmin, keys.removed]) expect((await send(key)).status).toBe(403);
    expect((await send(service.apiKey, 'nobody')).status).toBe(403);
    expect((await send(keys.revoked)).status).toBe(401);
    expect((await send(service.adminKey)).status).toBe(401);
  });
});

describe('the requests that these tests walk', () => {
  it('are of every endpoint of the contract', () => {
    const walked = [...everyEndpoint.map(({ endpoint }) => endpoint), ...administration];
    // Two need an id (`statement-routes.test.ts`, `attachment-removal-routes.test.ts`), one is about the caller and not about an organization, and one takes no
    // API key (`login.test.ts`).
    expect(apiEndpoints.filter((endpoint) => !walked.includes(endpoint))).toEqual([
      ...[removeAttachment, getStatement, logIn, getDefaultOrg],
    ]);
  });
});
