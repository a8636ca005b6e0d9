import type { GitHubApi } from '../evidence/github/github-api.ts';
import type { GitHubRefusal } from '../evidence/github/github-refusal.ts';
import type { RepositoryName } from '../evidence/job.ts';
import { textAt, valueAt } from '../runtime/values.ts';
import { isOutdated, readTelling, type Telling } from './comment-marker.ts';

/** A comment to be written, or written again. */
export interface CommentDraft {
  readonly repository: RepositoryName;
  /** The number of the pull request. */
  readonly number: number;
  /** The beginning of the comment's body, by which it is found again. */
  readonly marker: string;
  readonly telling: Telling;
  readonly body: string;
}

/** What became of it. */
export type WrittenComment =
  | { readonly done: 'created' | 'updated'; readonly url: string | undefined }
  /** A newer run has spoken about another commit. */
  | { readonly done: 'kept' }
  | { readonly refusal: GitHubRefusal };

/** The most comments of a page. */
const pageSize = 100;

/** GitHub takes no more than 2,500 comments on one pull request. */
const maximumPages = 30;

/** Writes a step's one comment: into the one that an earlier run of the step wrote, or as a new one. */
export async function writeComment(draft: CommentDraft, api: GitHubApi): Promise<WrittenComment> {
  const marked = await markedComments(draft, api);
  if ('refusal' in marked) return marked;
  const own = await ownComment(marked.comments, api);
  if ('refusal' in own) return own;
  if (own.comment === undefined) return create(draft, api);
  if (isOutdated(draft.telling, readTelling(own.comment.body))) return { done: 'kept' };
  return update(own.comment, draft, api);
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
  { repository, number, marker }: CommentDraft,
  api: GitHubApi,
): Promise<{ readonly comments: readonly Comment[] } | Refused> {
  const found: Comment[] = [];
  for (let page = 1; page <= maximumPages; page += 1) {
    const answer = await api.ask({
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      parameters: {
        owner: repository.owner,
        repo: repository.name,
        issue_number: number,
        per_page: pageSize,
        page,
      },
      repeatable: true,
    });
    if ('refusal' in answer) return answer;
    if (!Array.isArray(answer.body)) return unexpected('the list of comments');
    const comments: readonly unknown[] = answer.body;
    found.push(...comments.flatMap((comment) => commentFrom(comment, marker)));
    if (comments.length < pageSize) return { comments: found };
  }
  return { comments: found };
}

function commentFrom(comment: unknown, marker: string): readonly Comment[] {
  const id = valueAt(comment, 'id');
  const body = textAt(comment, 'body');
  // A quotation of the comment has the marker, too, but not as its beginning.
  if (typeof id !== 'number' || body?.startsWith(marker) !== true) return [];
  return [{ id, author: textAt(comment, 'user', 'login'), body }];
}

/**
 * The first of them that the token's own user wrote: anyone can write a comment with this marker, and theirs is neither
 * taken over nor in the way. The token of a job may not ask REST who it is, but GraphQL.
 */
async function ownComment(
  marked: readonly Comment[],
  api: GitHubApi,
): Promise<{ readonly comment: Comment | undefined } | Refused> {
  if (marked.length === 0) return { comment: undefined };
  const answer = await api.ask({
    route: 'POST /graphql',
    parameters: { query: 'query { viewer { login } }' },
    repeatable: true,
  });
  if ('refusal' in answer) return answer;
  const login = textAt(answer.body, 'data', 'viewer', 'login')?.toLowerCase();
  if (login === undefined) return unexpected('who the token belongs to');
  return { comment: marked.find(({ author }) => author?.toLowerCase() === login) };
}

async function create({ repository, number, body }: CommentDraft, api: GitHubApi): Promise<WrittenComment> {
  const answer = await api.ask({
    route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    parameters: { owner: repository.owner, repo: repository.name, issue_number: number, body },
    repeatable: false,
  });
  return 'refusal' in answer ? answer : { done: 'created', url: textAt(answer.body, 'html_url') };
}

async function update({ id }: Comment, draft: CommentDraft, api: GitHubApi): Promise<WrittenComment> {
  const { repository, body } = draft;
  const answer = await api.ask({
    route: 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
    parameters: { owner: repository.owner, repo: repository.name, comment_id: id, body },
    repeatable: true,
  });
  if (!('refusal' in answer)) return { done: 'updated', url: textAt(answer.body, 'html_url') };
  // Deleted since it was found.
  return answer.refusal.status === 404 ? create(draft, api) : answer;
}

function unexpected(what: string): Refused {
  return { refusal: { reason: 'trouble', status: undefined, what: `it answered something else than ${what}` } };
}
