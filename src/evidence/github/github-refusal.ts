import { describeStatus, parseRetryAfter, type RetryReason } from '../../http/retry.ts';
import { type HttpResponse, TransportError } from '../../http/transport.ts';
import { describeError } from '../../runtime/failure.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';

/** Why a request to GitHub's API failed. */
export interface GitHubRefusal {
  readonly reason: RefusalReason;
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined;
  /** A clause about GitHub's API with GitHub's own message: `it answered 403: …`. Never contains the token. */
  readonly what: string;
}

/** The kinds of refusals, by what can be done about them. */
type RefusalReason =
  /** No complete response, a server error or a rate limit: the same request may succeed later. */
  | 'external'
  /** The token is not valid (401). */
  | 'token'
  /** The token is valid but may not do this (403), or may not even see the resource (404). */
  | 'permission'
  /** The conversation is locked (403): only people with write access to the repository can comment. */
  | 'locked'
  /** Any other error, for example that the resource does not exist or the request is not valid. */
  | 'other';

/**
 * Converts an error of Octokit. Only an error with a `response` has a meaningful status: Octokit sets 500 if the
 * connection failed. Octokit's errors contain GitHub's message, but not the token.
 */
export function toGitHubRefusal(thrown: unknown, attempts: number): GitHubRefusal {
  const response = valueAt(thrown, 'response');
  if (response === undefined) {
    return { reason: 'external', status: undefined, what: `it could not be reached: ${describeError(thrown)}` };
  }
  const status = Number(valueAt(thrown, 'status'));
  // Octokit's message is the whole body if that is a page instead of GitHub's JSON.
  const isGitHubError = textAt(response, 'data', 'message') !== undefined;
  const message = isGitHubError ? `: ${describeError(thrown)}` : ' without a GitHub error message';
  const what = `it answered ${status}${message}${attempts === 1 ? '' : ` (after ${attempts} attempts)`}`;
  const locked = status === 403 && /issue is locked/iu.test(what);
  return { reason: locked ? 'locked' : classifyRefusal(status, valueAt(response, 'headers')), status, what };
}

/**
 * The refusal for a success response with unexpected content: GraphQL reports its errors like this, and a proxy may
 * respond with a page.
 *
 * @param wanted the expected content: `the list of comments`
 */
export function unexpectedGitHubResponse(body: unknown, wanted: string): { readonly refusal: GitHubRefusal } {
  const messages = listAt(body, 'errors').flatMap((error) => textAt(error, 'message') ?? []);
  const words = messages.length === 0 ? '' : `: ${messages.join('; ')}`;
  const what = `its response is not ${wanted}${words}`;
  return { refusal: { reason: messages.length === 0 ? 'external' : 'other', status: undefined, what } };
}

function classifyRefusal(status: number, headers: unknown): RefusalReason {
  if (status >= 500 || isRateLimit(status, headers)) return 'external';
  if (status === 401) return 'token';
  return status === 403 || status === 404 ? 'permission' : 'other';
}

/** What to do about a refusal that is `external`. Only a rate limit is one with a status below 500. */
export function retryRemedy({ status = 500 }: GitHubRefusal): string {
  return status < 500
    ? 'Run the job again later: this token has sent as many requests as GitHub allows for now.'
    : 'Run the job again; if it keeps failing, see https://www.githubstatus.com.';
}

/** GitHub's documentation, "Rate limits for the REST API": 429, or 403 with one of these headers. */
function isRateLimit(status: number, headers: unknown): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    (textAt(headers, 'retry-after') !== undefined || valueAt(headers, 'x-ratelimit-remaining') === '0')
  );
}

/**
 * Why a request should be retried; undefined if that is unsafe or cannot help.
 *
 * @param repeatable whether the request is idempotent
 * @param now in milliseconds since the epoch
 */
export function retryReason(
  outcome: HttpResponse | TransportError,
  repeatable: boolean,
  now: number,
): RetryReason | undefined {
  if (outcome instanceof TransportError) {
    return repeatable || !outcome.mayHaveReached ? { reason: outcome.message } : undefined;
  }
  const { status, headers } = outcome;
  const retryAfter = parseRetryAfter(headers['retry-after'], now);
  // In these cases GitHub did not process the request. A rate limit without `Retry-After` can last up to an hour.
  if (isRateLimit(status, headers) || (status === 503 && retryAfter !== undefined)) {
    return retryAfter === undefined ? undefined : describeStatus(status, retryAfter);
  }
  return repeatable && status >= 500 && status !== 501 ? describeStatus(status, undefined) : undefined;
}
