import type { JiraResult } from '../../contract/attestations/jira.ts';
import { ExternalError, UserError } from '../../runtime/failure.ts';
import { isMapping, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import type { GitHubApi } from '../github/github-api.ts';
import { type GitHubRefusal, unexpectedGitHubResponse } from '../github/github-refusal.ts';
import type { RepositoryName } from '../job.ts';
import { toIssue } from './issue.ts';

/**
 * Looks one issue up: `#12`, `GH-12`, `12`, or `owner/repo#12`.
 *
 * @returns undefined if it is a pull request: every squashed commit names its own
 * @throws UserError if it is no reference, or the token may not read issues; ExternalError if GitHub failed
 */
export async function findGitHubIssue(
  reference: string,
  { api, serverUrl }: { readonly api: GitHubApi; readonly serverUrl: string },
): Promise<JiraResult | undefined> {
  const { repository } = api;
  const { owner, name, number } = parseReference(reference, repository);
  const answer = await api.ask({
    route: 'GET /repos/{owner}/{repo}/issues/{issue_number}',
    parameters: { owner, repo: name, issue_number: number },
  });
  const isForeign = owner !== repository.owner || name !== repository.name;
  const id = `${isForeign ? `${owner}/${name}` : ''}#${number}`;
  const url = [serverUrl, encodeURIComponent(owner), encodeURIComponent(name), 'issues', number].join('/');
  if ('refusal' in answer) {
    const { status } = answer.refusal;
    // GitHub answers 410 for an issue that was deleted.
    if (status === 404 || status === 410) return toIssue(id, url, undefined);
    throw createError(id, answer.refusal);
  }
  const { body } = answer;
  if (valueAt(body, 'number') === undefined)
    throw createError(id, unexpectedGitHubResponse(body, `issue ${id}`).refusal);
  if (isMapping(valueAt(body, 'pull_request'))) return undefined;
  return toIssue(id, textAt(body, 'html_url') ?? url, {
    summary: textAt(body, 'title'),
    status: textAt(body, 'state'),
  });
}

function parseReference(text: string, own: RepositoryName): RepositoryName & { readonly number: number } {
  const [, owner, name, number] = /^(?:([\w.-]+)\/([\w.-]+)#|#|GH-)?([1-9]\d{0,14})$/u.exec(text) ?? [];
  if (number !== undefined) return { owner: owner ?? own.owner, name: name ?? own.name, number: Number(number) };
  throw new UserError({
    input: 'issue-pattern',
    what: `\`issue-pattern\` finds ${JSON.stringify(text.slice(0, 80))}, which is not the number of an issue on GitHub`,
    remedy:
      'Let it find `#12`, `GH-12`, `owner/repository#12` or the number alone; or set `jira-base-url` to look in Jira.',
  });
}

function createError(id: string, { reason, what: clause }: GitHubRefusal): UserError | ExternalError {
  const what = `the issue ${id} cannot be read from GitHub's API: ${clause}`;
  if (reason === 'external') return new ExternalError({ what, remedy: 'Try again later.' });
  const remedy = 'Give the job `permissions: { contents: read, issues: read }`, or use another `github-token`.';
  return new UserError({ input: 'github-token', what, remedy });
}
