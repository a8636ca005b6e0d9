import { textAt } from '../../runtime/untrusted-data.ts';
import type { GitHubApi } from '../github/github-api.ts';
import { type GitHubRefusal, unexpectedGitHubResponse } from '../github/github-refusal.ts';

/** Who may push to a repository, as GitHub's API says it. Remembers the answers. */
export interface PushAccess {
  /** @throws only the reason of the API's signal, if it is aborted */
  of(username: string): Promise<PushAccessAnswer>;
}

/** Whether somebody may push, or why that is not known. */
export type PushAccessAnswer = { readonly canPush: boolean } | { readonly unknown: string };

/** The maximum number of people whose access is looked up: anyone can approve a public pull request. */
const maximumQuestions = 200;

/** The roles with write access. GitHub maps `maintain` and custom roles to them (its documentation, "Collaborators"). */
const pushRoles: ReadonlySet<string> = new Set(['admin', 'write']);

export function createPushAccess(api: GitHubApi): PushAccess {
  const answers = new Map<string, PushAccessAnswer>();
  // The next answers would be the same.
  let stopped: { readonly unknown: string } | undefined;
  return {
    async of(username) {
      const known = answers.get(username) ?? stopped;
      if (known !== undefined) return known;
      if (answers.size >= maximumQuestions) return { unknown: `a step asks about at most ${maximumQuestions} people` };
      const { answer, isFinal } = await ask(api, username);
      answers.set(username, answer);
      if (isFinal && 'unknown' in answer) stopped = answer;
      return answer;
    },
  };
}

async function ask(
  api: GitHubApi,
  username: string,
): Promise<{ readonly answer: PushAccessAnswer; readonly isFinal: boolean }> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  const answer = await api.ask({ route, parameters: { username } });
  if ('refusal' in answer) return toUnknown(answer.refusal);
  const permission = textAt(answer.body, 'permission');
  if (permission === undefined) return toUnknown(unexpectedGitHubResponse(answer.body, 'a permission').refusal);
  return { answer: { canPush: pushRoles.has(permission) }, isFinal: false };
}

/** GitHub answers 404 for a single account, too: one that was renamed or deleted. */
function toUnknown({ reason, status, what }: GitHubRefusal): {
  readonly answer: PushAccessAnswer;
  readonly isFinal: boolean;
} {
  const remedy =
    reason === 'permission'
      ? '; the token needs the repository permission `metadata: read`, which `${{ github.token }}` always has'
      : '';
  return { answer: { unknown: `${what}${remedy}` }, isFinal: status !== 404 };
}
