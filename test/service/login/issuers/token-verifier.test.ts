import { beforeAll, describe, expect, it } from '@jest/globals';
import { CompactSign, exportJWK, exportSPKI, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { JoseTokenVerifier } from '../../../../src/service/login/issuers/token-verifier.ts';
import type { TokenVerification } from '../../../../src/service/login/workflow-identity.ts';
import { createSigningKey, pushClaims, type SigningKey, signToken } from '../../../../tools/identity-provider.ts';

const issuer = 'https://ghes.example.com/_services/token';
const audience = 'https://compliance.example.com';
const now = 1_790_000_000_000;
const seconds = now / 1000;

let key: SigningKey;
let jwk: JWK;
beforeAll(async () => {
  key = await createSigningKey('one');
  jwk = { ...(await exportJWK(key.publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
});

/** A verifier whose issuer has one key. */
function createVerifier(keys: () => readonly JWK[] = () => [jwk]) {
  const fetched: string[] = [];
  const fetchJson = (url: URL): Promise<unknown> => {
    fetched.push(url.href);
    const isKeySet = url.pathname.endsWith('/jwks');
    return Promise.resolve(isKeySet ? { keys: keys() } : { issuer, jwks_uri: `${issuer}/.well-known/jwks` });
  };
  const verifier = new JoseTokenVerifier(fetchJson, () => now);
  return { fetched, verify: (token: string) => verifier.verify(token, { issuer, audience }), verifier };
}

const sign = (claims: Readonly<Record<string, unknown>> = {}, signer = key): Promise<string> =>
  signToken(signer, { iss: issuer, aud: audience, ...claims }, { now });

async function reasonOf(result: Promise<TokenVerification>): Promise<string> {
  const verified = await result;
  return 'reason' in verified ? verified.reason : verified.outcome;
}

describe('an identity token', () => {
  it('identifies its run if it is valid, also of a GHES', async () => {
    const { verify, fetched } = createVerifier();
    expect(await verify(await sign())).toMatchObject({
      outcome: 'valid',
      identity: {
        issuer,
        repository: 'acme/web',
        repository_id: '123',
        run_id: '4711',
        repository_visibility: 'private',
      },
    });
    expect(fetched).toEqual([`${issuer}/.well-known/openid-configuration`, `${issuer}/.well-known/jwks`]);
    await verify(await sign());
    expect(fetched).toHaveLength(2);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['has expired', { exp: seconds - 31 }, 'has expired'],
    ['never expires', { exp: undefined }, 'has no claim `exp`'],
    ['is not valid yet', { nbf: seconds + 31 }, 'is not valid yet'],
    ['was issued too long ago', { iat: seconds - 3700 }, 'has expired'],
    ['was issued in the future', { iat: seconds + 100 }, 'comes from the future'],
    ['is for another audience', { aud: 'https://other.example.com' }, `is for another audience than ${audience}`],
    ['is for several audiences', { aud: [audience, 'https://other.example.com'] }, 'is for several audiences'],
    ['is for nobody', { aud: undefined }, 'has no claim `aud`'],
    ['comes from another issuer', { iss: 'https://evil.example.com' }, 'comes from another issuer'],
    ['has no subject', { sub: undefined }, 'has no claim `sub`'],
    ['has an empty subject', { sub: '' }, 'has no claim `sub`'],
    ['names no repository', { repository: undefined }, 'has no claim `repository`'],
    ['has no number of its repository', { repository_id: undefined }, 'has no claim `repository_id`'],
    ['has a number that is not a text', { repository_id: 123 }, 'has no claim `repository_id`'],
    // What a workflow is called is up to its author, and not every database can store these.
    ['has NUL in a name', { workflow: 'CI\0' }, 'has NUL or a lone surrogate in the claim `workflow`'],
    ['has half a character', { run_id: '1\ud800' }, 'has NUL or a lone surrogate in the claim `run_id`'],
  ])('is refused if it %s', async (_fault, claims, reason) => {
    expect(await createVerifier().verify(await sign(claims))).toEqual({
      ...{ outcome: 'invalid', reason },
      repositoryId: 'repository_id' in claims ? undefined : '123',
    });
  });

  it('may differ from the clock of the service by half a minute', async () => {
    const { verify } = createVerifier();
    expect((await verify(await sign({ exp: seconds - 29 }))).outcome).toBe('valid');
    expect((await verify(await sign({ nbf: seconds + 29, iat: seconds + 29 }))).outcome).toBe('valid');
  });

  it('is refused if it is forged', async () => {
    const { verify, fetched } = createVerifier();
    const [header = '', , signature = ''] = (await sign()).split('.');
    const payload = { ...pushClaims, iss: issuer, aud: audience, exp: seconds + 300, iat: seconds, sub: 'x' };
    const changed = [header, Buffer.from(JSON.stringify(payload)).toString('base64url'), signature].join('.');
    expect(await reasonOf(verify(changed))).toBe('has a wrong signature');
    expect(await reasonOf(verify(await sign({}, await createSigningKey('one'))))).toBe('has a wrong signature');
    const unknown = await createSigningKey('two');
    expect(await reasonOf(verify(await sign({}, unknown)))).toBe('is signed with a key that its issuer does not have');
    // The issuer is not asked for every unknown key.
    expect(fetched).toHaveLength(2);
  });

  it('is refused with any other algorithm, before the issuer is asked', async () => {
    const { verify, fetched } = createVerifier();
    const claims = { ...pushClaims, iss: issuer, aud: audience, exp: seconds + 300, iat: seconds };
    const publicKey = await exportSPKI(key.publicKey);
    const confused = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(Buffer.from(publicKey));
    const confusedAgain = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'HS512', kid: 'one' })
      .sign(Buffer.from(JSON.stringify(jwk).padEnd(64)));
    const unsigned = new UnsecuredJWT(claims).encode();
    for (const token of [confused, confusedAgain, unsigned]) {
      expect(await reasonOf(verify(token))).toBe('is not signed with RS256');
    }
    expect(fetched).toEqual([]);
  });

  it('is refused if the issuer has a symmetric key, or says that the key is for another algorithm', async () => {
    const secret = Buffer.from('x'.repeat(32)).toString('base64url');
    const symmetric = createVerifier(() => [{ kty: 'oct', k: secret, kid: 'one' }]);
    expect(await reasonOf(symmetric.verify(await sign()))).toBe('is signed with a key that its issuer does not have');
    const other = createVerifier(() => [{ ...jwk, alg: 'PS256' }]);
    expect(await reasonOf(other.verify(await sign()))).toBe('is signed with a key that its issuer does not have');
  });

  it.each(['', 'x', 'a.b.c', `first0key_${'k'.repeat(43)}`, 'x'.repeat(20_000)])('is not %j', (text) => {
    expect(createVerifier().verifier.readIssuer(text)).toBeUndefined();
  });

  it('names its issuer before it is verified, if that is a URL', async () => {
    const { verifier } = createVerifier();
    expect(verifier.readIssuer(await sign())).toBe(issuer);
    expect(verifier.readIssuer(await sign({ iss: 'nobody' }))).toBeUndefined();
    expect(verifier.readIssuer(await sign({ iss: undefined }))).toBeUndefined();
  });
});
