import { issuerUnavailable, loginRefused, tooManyLogins, unknownSenderField } from '../../../../contract/login.ts';
import { logIn, type LoginResult } from '../../../login/login-use-cases.ts';
import { ApiError } from '../errors/api-error.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import {
  type AuthenticationAttempt,
  type Authenticator,
  countGuess,
  readCredential,
  unauthenticatedError,
} from './authentication.ts';
import type { FailedAuthentication } from './failed-authentications.ts';

/** What the error says. The same for every such token and every organization, so that it tells nothing about them. */
const unknownSender =
  'name neither the issuer nor the repository of this identity token, its signature is wrong, or the organization does not exist; check the organization, and ask its admins for the reason, which is in the audit log';

export type LoggedIn = Extract<LoginResult, { outcome: 'logged in' }>;

/** Requires the identity token of a workflow run that a login rule of the organization admits, and gives it a key. */
export function requireIdentityToken(
  dependencies: Pick<
    RouteDependencies,
    'storage' | 'now' | 'randomBytes' | 'loadTokenVerifier' | 'links' | 'failures' | 'log'
  >,
): Authenticator<LoggedIn> {
  const { links, failures, log } = dependencies;
  // Anybody can send tokens of an issuer that does not answer, and it is asked only every few seconds.
  const logged = new WeakSet<Error>();
  return async (attempt) => {
    const { org = '', methods, origin } = attempt;
    const token = readCredential(attempt);
    const result = await logIn(dependencies, { org, token, audience: links.origin() });
    const failure = { org, origin: origin(), type: 'login_refused' } as const;
    switch (result.outcome) {
      case 'logged in':
        return result;
      case 'unproven':
      case 'invalid': {
        const reason = `is an identity token that ${result.reason}`;
        const error = result.outcome === 'invalid' ? unauthenticatedError(methods, reason) : toUnknownSender(methods);
        throw countGuess(failures, { ...failure, reason }, error);
      }
      case 'refused': {
        const error = result.mismatches.length > 0 ? toRefusal(org, result) : toUnknownSender(methods);
        throw countGuess(failures, { ...failure, ...describeRefusal(result) }, error);
      }
      case 'too many keys':
        throw new ApiError(tooManyLogins, { headers: { 'retry-after': String(result.retryAfter) } });
      case 'issuer unavailable': {
        const { issuer, cause, retryAfter } = result;
        if (!logged.has(cause)) log.error(`the keys of the token issuer ${issuer} cannot be fetched`, cause);
        logged.add(cause);
        const headers = { 'retry-after': String(retryAfter) };
        throw new ApiError(issuerUnavailable, { values: { issuer }, headers });
      }
    }
  };
}

type Refused = Extract<LoginResult, { outcome: 'refused' }>;

function toUnknownSender(methods: AuthenticationAttempt['methods']): ApiError {
  return unauthenticatedError(methods, unknownSender, unknownSenderField);
}

/** Names the rules of the run's own repository, and what they require. */
function toRefusal(org: string, { mismatches }: Refused): ApiError {
  const errors = mismatches.map(({ rule, conditions }): [string, string] => [
    `login rule ${rule}`,
    `does not hold: ${conditions.join(', ')}`,
  ]);
  return new ApiError(loginRefused, { values: { org }, errors });
}

function describeRefusal({ identity, mismatches }: Refused): Pick<FailedAuthentication, 'reason'> {
  const { repository, repository_id: id, run_id: run, ref, event_name: event } = identity;
  const rules = mismatches.map(({ rule, conditions }) => `${rule} (${conditions.join(', ')})`).join('; ');
  const why = rules === '' ? 'no rule names it' : `not admitted by ${rules}`;
  return { reason: `is the identity token of run ${run} of ${repository} (${id}), ${event} on ${ref}: ${why}` };
}
