import { TransportError } from '../../http/transport.ts';
import { parseRetryAfter, type RetryReason } from '../../http/retry.ts';
import { describeError } from '../../runtime/failure.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';

/** Why GitHub's API did not do what it was asked. */
export interface GitHubRefusal {
  readonly reason: RefusalReason;
  /** The status of its answer; undefined if none came. */
  readonly status: number | undefined;
  /** A clause about GitHub's API, with GitHub's own words: `it answered 403: …`. The token is never in it. */
  readonly what: string;
}

/** What kind of refusal it is, by what helps. */
type RefusalReason =
  /** No whole answer came, or GitHub is in trouble, or it was asked too often: the same question may pass later. */
  | 'external'
  /** The token is not valid (401). */
  | 'token'
  /** The token is valid and may not do this (403), or may not even see it (404). */
  | 'permission'
  /** The conversation is locked (403): only people who may write to the repository comment there. */
  | 'locked'
  /** Any other error: what was asked for is not there, or not to be had like this. */
  | 'other';

/**
 * What an error of Octokit says. Only an answer has a response: Octokit gives a connection that failed the status 500. The
 * token is not in its errors: they carry GitHub's message only.
 */
export function toGitHubRefusal(thrown: unknown): GitHubRefusal {
  const response = valueAt(thrown, 'response');
  if (response === undefined) {
    return { reason: 'external', status: undefined, what: `it could not be reached: ${describeError(thrown)}` };
  }
  const status = Number(valueAt(thrown, 'status'));
  // Octokit's message is the whole body where that is a page and not GitHub's JSON.
  const isGitHubs = textAt(response, 'data', 'message') !== undefined;
  const what = `it answered ${status}${isGitHubs ? `: ${describeError(thrown)}` : ' without a message in the form of GitHub'}`;
  const locked = status === 403 && /issue is locked/iu.test(what);
  return { reason: locked ? 'locked' : classifyRefusal(status, valueAt(response, 'headers')), status, what };
}

/**
 * What an answer says that was a success and is not what was asked for: GraphQL tells its errors so, with their messages,
 * and what stands on the way to GitHub answers with pages.
 *
 * @param wanted what was asked for: `the list of comments`
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

/** GitHub's documentation, "Rate limits for the REST API": 429, or 403 with one of these headers. */
function isRateLimit(status: number, headers: unknown): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    (textAt(headers, 'retry-after') !== undefined || valueAt(headers, 'x-ratelimit-remaining') === '0')
  );
}

/**
 * Whether a question is worth asking again; undefined if that is unsafe or pointless.
 *
 * @param repeatable whether asking twice does no more than asking once
 * @param now in milliseconds since the epoch
 */
export function retryReason(thrown: unknown, repeatable: boolean, now: number): RetryReason | undefined {
  const response = valueAt(thrown, 'response');
  if (response === undefined) {
    return repeatable || neverReached(thrown) ? { reason: describeError(thrown) } : undefined;
  }
  const status = Number(valueAt(thrown, 'status'));
  const headers = valueAt(response, 'headers');
  const retryAfter = parseRetryAfter(textAt(headers, 'retry-after'), now);
  const reason = `the answer was ${status}`;
  // With these GitHub says that it did not take the question on. Without a time to wait for, a limit lasts up to an hour.
  if (isRateLimit(status, headers) || (status === 503 && retryAfter !== undefined)) {
    return retryAfter === undefined ? undefined : { reason, retryAfter };
  }
  return repeatable && status >= 500 && status !== 501 ? { reason } : undefined;
}

/** Octokit wraps the error of the way to GitHub. */
function neverReached(thrown: unknown): boolean {
  const cause = valueAt(thrown, 'cause');
  return cause instanceof TransportError && !cause.mayHaveReached;
}
