import type { GitHubApi } from '../../evidence/github/github-api.ts';
import { type GitHubRefusal, unexpectedGitHubResponse } from '../../evidence/github/github-refusal.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { type CommentOrigin, isOutdated, readOrigin } from './comment-marker.ts';

interface CommentDraft {
  /** The number of the pull request. */
  readonly number: number;
  /** The first line of the body, and of comments that this one replaces. */
  readonly marker: string;
  readonly origin: CommentOrigin;
  readonly body: string;
}

type WrittenComment =
  | { readonly done: 'created' | 'updated'; readonly url: string | undefined }
  /** A newer run has written it for another commit. */
  | { readonly done: 'kept' }
  | { readonly refusal: GitHubRefusal };

/** GitHub's maximum number of comments per page. */
const pageSize = 100;

/** Enough for all comments: GitHub allows 2,500 on one pull request. */
const maximumPages = 30;

/** Writes the one comment of a step: updates the comment of an earlier run, or creates a new one. */
export async function writeComment(draft: CommentDraft, api: GitHubApi): Promise<WrittenComment> {
  const own = await ownComments(draft, api);
  if ('refusal' in own) return own;
  const [first, ...others] = own.comments;
  return first === undefined ? createOnce(draft, api) : keepOne(first, others, draft, api);
}

/**
 * Creates the comment, then checks whether another run did so at the same time. If so, both runs keep the oldest one.
 * If that cannot be checked, the created comment stays.
 */
async function createOnce(draft: CommentDraft, api: GitHubApi): Promise<WrittenComment> {
  const created = await create(draft, api);
  if ('refusal' in created) return created;
  const own = await ownComments(draft, api);
  if ('refusal' in own) return created;
  const [first, ...others] = own.comments;
  if (first === undefined || others.length === 0 || first.id === created.id) return created;
  return keepOne(first, others, draft, api);
}

/** Updates the first comment, unless a newer run has written one, and deletes duplicates. */
async function keepOne(
  first: Comment,
  others: readonly Comment[],
  draft: CommentDraft,
  api: GitHubApi,
): Promise<WrittenComment> {
  const isNewer = ({ body }: Comment): boolean => isOutdated(draft.origin, readOrigin(body));
  const written = [first, ...others].some(isNewer) ? ({ done: 'kept' } as const) : await update(first, draft, api);
  if ('refusal' in written) return written;
  for (const other of others) if (!isNewer(other)) await remove(other, api);
  return written;
}

interface Comment {
  readonly id: number;
  readonly author: string | undefined;
  readonly body: string;
}

interface Refused {
  readonly refusal: GitHubRefusal;
}

async function markedComments(
  { number, marker }: CommentDraft,
  api: GitHubApi,
): Promise<{ readonly comments: readonly Comment[] } | Refused> {
  const found: Comment[] = [];
  for (let page = 1; page <= maximumPages; page += 1) {
    const answer = await api.ask({
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      parameters: { issue_number: number, per_page: pageSize, page },
    });
    if ('refusal' in answer) return answer;
    if (!Array.isArray(answer.body)) return unexpectedGitHubResponse(answer.body, 'the list of comments');
    const comments: readonly unknown[] = answer.body;
    found.push(...comments.flatMap((comment) => commentFrom(comment, marker)));
    if (comments.length < pageSize) return { comments: found };
  }
  return { comments: found };
}

function commentFrom(comment: unknown, marker: string): readonly Comment[] {
  const id = valueAt(comment, 'id');
  const body = textAt(comment, 'body');
  // A quote of the comment contains the marker, too, but does not start with it.
  if (typeof id !== 'number' || !body?.startsWith(marker)) return [];
  return [{ id, author: textAt(comment, 'user', 'login'), body }];
}

/**
 * The comments with the marker that were written by the token's own user, the oldest first, as GitHub lists them. Anyone
 * can write a comment with such a marker, and those are ignored. A job's token cannot query its user by REST, only by
 * GraphQL.
 */
async function ownComments(
  draft: CommentDraft,
  api: GitHubApi,
): Promise<{ readonly comments: readonly Comment[] } | Refused> {
  const marked = await markedComments(draft, api);
  if ('refusal' in marked || marked.comments.length === 0) return marked;
  const answer = await api.ask({
    route: 'POST /graphql',
    parameters: { query: 'query { viewer { login } }' },
    repeatable: true,
  });
  if ('refusal' in answer) return answer;
  const login = textAt(answer.body, 'data', 'viewer', 'login')?.toLowerCase();
  if (login === undefined) return unexpectedGitHubResponse(answer.body, 'the user of the token');
  return { comments: marked.comments.filter(({ author }) => author?.toLowerCase() === login) };
}

async function create({ number, body }: CommentDraft, api: GitHubApi): Promise<Created | Refused> {
  const answer = await api.ask({
    route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    parameters: { issue_number: number, body },
  });
  if ('refusal' in answer) return answer;
  const id = valueAt(answer.body, 'id');
  if (typeof id !== 'number') return unexpectedGitHubResponse(answer.body, 'the comment');
  return { done: 'created', id, url: textAt(answer.body, 'html_url') };
}

interface Created {
  readonly done: 'created';
  readonly id: number;
  readonly url: string | undefined;
}

async function update({ id }: Comment, draft: CommentDraft, api: GitHubApi): Promise<WrittenComment> {
  const answer = await api.ask({
    route: 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
    parameters: { comment_id: id, body: draft.body },
  });
  if ('refusal' in answer) {
    // The comment was deleted after it was found.
    return answer.refusal.status === 404 ? create(draft, api) : answer;
  }
  if (valueAt(answer.body, 'id') !== id) return unexpectedGitHubResponse(answer.body, 'the comment');
  return { done: 'updated', url: textAt(answer.body, 'html_url') };
}

/** Deletes a duplicate. Failures are ignored: it may be deleted already, and the next run tries again. */
async function remove({ id }: Comment, api: GitHubApi): Promise<void> {
  await api.ask({
    route: 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}',
    parameters: { comment_id: id },
  });
}
