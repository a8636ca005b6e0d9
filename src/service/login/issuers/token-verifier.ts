import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Now } from '../../../runtime/clock.ts';
import { textAt } from '../../../runtime/untrusted-data.ts';
import { readIdentity, type TokenRejection, type TokenVerification, type TokenVerifier } from '../workflow-identity.ts';
import type { FetchJson } from './fetch-json.ts';
import { type IssuerKey, IssuerKeys, IssuerUnavailableError } from './issuer-keys.ts';

/** The only algorithm that GitHub and GHES sign with. No other is accepted, whatever the token says. */
const algorithms = ['RS256'];

/** How much the clocks of the issuer and the service may differ, in seconds. */
const clockTolerance = 30;

/** The maximum age of a token, in seconds: GitHub's live 5 minutes. */
const maximumTokenAge = 3600;

/** In characters: GitHub's have about 2000. */
const maximumTokenLength = 12_000;

/** Verifies identity tokens with the keys of their issuers (OpenID Connect Core 1.0, section 3.1.3.7). */
export class JoseTokenVerifier implements TokenVerifier {
  readonly #keys: IssuerKeys;
  readonly #now: Now;

  constructor(fetchJson: FetchJson, now: Now) {
    this.#keys = new IssuerKeys(fetchJson, now);
    this.#now = now;
  }

  readIssuer(token: string): string | undefined {
    if (token.length > maximumTokenLength) return undefined;
    try {
      const { iss } = decodeJwt(token);
      return typeof iss === 'string' && URL.canParse(iss) ? iss : undefined;
    } catch {
      return undefined;
    }
  }

  isKnownIssuer(issuer: string): boolean {
    return this.#keys.isKnown(issuer);
  }

  async verify(
    token: string,
    { issuer, audience }: { readonly issuer: string; readonly audience: string },
  ): Promise<TokenVerification> {
    try {
      const { alg, kid } = decodeProtectedHeader(token);
      // Before the issuer is asked for an unknown key.
      if (alg === undefined || !algorithms.includes(alg)) {
        return { outcome: 'unproven', reason: 'is not signed with RS256' };
      }
      const keys = await this.#keys.find(issuer, kid);
      const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: keys.map(toKey) }), {
        ...{ algorithms, issuer, audience, clockTolerance },
        currentDate: new Date(this.#now()),
        maxTokenAge: maximumTokenAge,
        requiredClaims: ['sub', 'exp'],
      });
      return toVerification(payload);
    } catch (error) {
      if (error instanceof IssuerUnavailableError) {
        return { outcome: 'issuer unavailable', issuer, cause: error.cause, retryAfter: error.retryAfter };
      }
      return toRejection(error, audience);
    }
  }
}

/** `createLocalJWKSet` checks the form of the keys itself. */
function toKey({ kty, ...key }: IssuerKey): { kty: string } {
  return { ...key, kty: String(kty) };
}

function toVerification(payload: JWTPayload): TokenVerification {
  // A token for several audiences could be used at all of them.
  if (Array.isArray(payload.aud)) return toInvalid(payload, 'is for several audiences');
  const { jti: tokenId = '' } = payload;
  if (tokenId === '') return toInvalid(payload, 'has no claim `jti`');
  const read = readIdentity(payload);
  return 'identity' in read ? { outcome: 'valid', identity: read.identity, tokenId } : toInvalid(payload, read.fault);
}

function toInvalid(payload: JWTPayload, reason: string): TokenRejection {
  return { outcome: 'invalid', reason, repositoryId: textAt(payload, 'repository_id') };
}

const claimFaults: Readonly<Record<string, string>> = {
  iss: 'comes from another issuer',
  nbf: 'is not valid yet',
  iat: 'comes from the future',
};

/** The claims are checked after the signature. Reasons never contain the token. */
function toRejection(error: unknown, audience: string): TokenRejection {
  if (error instanceof errors.JWTExpired) return toInvalid(error.payload, 'has expired');
  if (error instanceof errors.JWTClaimValidationFailed) return toInvalid(error.payload, describeClaim(error, audience));
  const reasons: readonly (readonly [typeof errors.JOSEError, string])[] = [
    [errors.JWKSNoMatchingKey, 'is signed with a key that its issuer does not have'],
    [errors.JWSSignatureVerificationFailed, 'has a wrong signature'],
  ];
  const [, reason = 'is not a valid identity token'] = reasons.find(([type]) => error instanceof type) ?? [];
  return { outcome: 'unproven', reason };
}

function describeClaim({ reason, claim }: errors.JWTClaimValidationFailed, audience: string): string {
  if (reason === 'missing') return `has no claim \`${claim}\``;
  if (claim === 'aud') return `is for another audience than ${audience}`;
  return claimFaults[claim] ?? `has a wrong claim \`${claim}\``;
}
