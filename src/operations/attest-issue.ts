import { jiraKind, type JiraResult } from '../contract/attestations/jira.ts';
import type { GitCommitInfo } from '../contract/commit.ts';
import type { Problem } from '../runtime/failure.ts';
import { textAt } from '../runtime/untrusted-data.ts';
import type { EvidencePresentation } from './attest/attestation-report.ts';
import { type AttestationValues, defineAttestOperation } from './attest/define-attest-operation.ts';
import { requireGitHub } from './connect-github.ts';
import { optional, type ValuesOf } from './inputs/input.ts';
import { httpUrl, regularExpression, secret, text } from './inputs/input-types.ts';
import type { OperationContext } from './operation.ts';
import { abbreviate, link, listTable, plain, type Text } from './report.ts';

const inputs = {
  /** What a reference to an issue looks like. It decides a gate, so it has no environment fallback. */
  issuePattern: optional(regularExpression('issue-pattern', 500)),
  jiraBaseUrl: optional(
    httpUrl(
      'jira-base-url',
      'Use the URL of the Jira site, such as https://acme.atlassian.net.',
      'Give them in `jira-username` and `jira-api-token` instead.',
    ),
  ),
  /** The user of Jira Cloud to whom the token belongs. */
  jiraUsername: optional(text('jira-username', 255)),
  /** A token of Jira: an API token of a user of Jira Cloud, or a personal access token of a Jira server. */
  jiraApiToken: optional(secret('jira-api-token')),
} as const;

type IssueValues = AttestationValues & ValuesOf<typeof inputs>;

/** Keys of Jira issues. The key of a project begins with a letter and has at least two characters, so `v1-2` is none. */
const jiraPattern = String.raw`(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{1,9}-[1-9][0-9]{0,9}(?![A-Za-z0-9_])`;

/**
 * References to issues of the repository, as GitHub links them. Not those of other repositories: the author of a change
 * could name any, and `github-token` may read what the readers of the record may not.
 */
const gitHubPattern = String.raw`(?<![\w/&.-])#[1-9]\d{0,9}(?!\w)|(?<!\w)GH-[1-9]\d{0,9}(?!\w)`;

/** Records the issues that a change names, in Jira or on GitHub, and whether they exist. */
export const attestIssue = defineAttestOperation({
  kind: jiraKind,
  defaultName: 'issue',
  inputs,
  check: checkInputs,
  gatherTitle: 'Look the issues up',
  async gather(values, { info }, context) {
    const { log } = context.call;
    const find = await createFinder(values, context);
    // Only this operation needs it.
    const { findReferences, listTexts } = await import(/* webpackChunkName: 'issues' */ '../evidence/issues/index.ts');
    const texts = listTexts(info, context.job, values.redactCommitInfo.includes('message'));
    const references = findReferences(
      texts,
      values.issuePattern ?? (values.jiraBaseUrl === undefined ? gitHubPattern : jiraPattern),
    );
    const issues = new Map<string, JiraResult>();
    for (const reference of references) {
      const issue = await find(reference);
      if (issue === undefined) log.info(`${reference} is a pull request, not an issue`);
      else {
        log.info(`${issue.issue_id} ${issue.issue_exists ? 'exists' : 'does not exist'}`);
        issues.set(issue.issue_id, issue);
      }
    }
    if (references.length === 0) log.info('The change names no issue.');
    return { issues: [...issues.values()] };
  },
  toDocument: (common, { issues }) => ({ ...common, jira_results: [...issues] }),
  present: ({ issues }, { commit }) => presentIssues(issues, commit),
});

/** Looks an issue up; undefined if it is none. */
type FindIssue = (reference: string) => Promise<JiraResult | undefined>;

/** @throws UserError if there is no access to GitHub */
async function createFinder(values: IssueValues, context: OperationContext): Promise<FindIssue> {
  const { JiraIssues, findGitHubIssue } = await import(/* webpackChunkName: 'issues' */ '../evidence/issues/index.ts');
  const { jiraBaseUrl: baseUrl, jiraApiToken: token, jiraUsername: username, githubToken } = values;
  if (baseUrl !== undefined && token !== undefined) {
    const site = { baseUrl: baseUrl.replace(/\/+$/u, ''), username, token };
    const jira = new JiraIssues(site, context.call, context.addSecret);
    return (key) => jira.find(key);
  }
  const api = requireGitHub(githubToken, context, {
    wanted: 'the issues',
    permissions: 'contents: read, issues: read',
    alternative: 'set `jira-base-url`',
  });
  const gitHub = { api, serverUrl: context.job.serverUrl };
  return (reference) => findGitHubIssue(reference, gitHub);
}

function checkInputs(values: IssueValues): readonly Problem[] {
  const { jiraBaseUrl: baseUrl, jiraApiToken: token, jiraUsername: username } = values;
  if (baseUrl !== undefined && token === undefined)
    return [createProblem('jira-api-token', '`jira-base-url` needs `jira-api-token`')];
  if (baseUrl === undefined && (token ?? username) !== undefined)
    return [createProblem('jira-base-url', '`jira-api-token` and `jira-username` need `jira-base-url`')];
  return [];
}

function createProblem(input: string, what: string): Problem {
  return { input, what, remedy: `Set \`${input}\`, or leave all inputs of Jira out to look on GitHub.` };
}

function presentIssues(issues: readonly JiraResult[], { sha1 }: GitCommitInfo): EvidencePresentation {
  const rows = issues.map(
    ({ issue_id: id, issue_url: url, issue_exists: exists, issue_fields: fields }): readonly Text[] => [
      link(id, url),
      plain(exists ? '✅ exists' : '❌ does not exist'),
      plain(textAt(fields, 'summary') ?? ''),
      plain(textAt(fields, 'status', 'name') ?? ''),
    ],
  );
  return {
    subject: `Issues of commit ${abbreviate(sha1)}`,
    tables: listTable('Issues', ['Issue', 'Found', 'Summary', 'Status'], rows),
  };
}
