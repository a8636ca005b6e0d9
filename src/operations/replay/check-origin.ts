import { isKeyOfRun } from '../../client/idempotency-key.ts';
import { gatheredAtKey } from '../../contract/attestations/attestation-fields.ts';
import { idempotencyDataKey } from '../../contract/idempotency.ts';
import { pullRequestEvents } from '../../contract/login-rule.ts';
import { isStartedByDependabot } from '../../evidence/github/run-restriction.ts';
import type { WorkflowRun } from '../../evidence/github/workflow-run.ts';
import { type Job, repositoryUrl } from '../../evidence/job.ts';
import { provenanceKey } from '../../evidence/run-provenance.ts';
import type { SpoolManifest } from '../../evidence/spool/spool-item.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';

/** How far the clocks of a runner, of GitHub and of this machine may differ, in milliseconds. */
const clockDifference = 5 * 60_000;

/**
 * Why an item cannot come from the run that it claims, checked without GitHub; undefined if it may be genuine. The end
 * of a sentence.
 *
 * @param runId the run that the item was downloaded from
 * @param now in milliseconds since the epoch
 */
export function claimProblem(manifest: SpoolManifest, runId: string, job: Job, now: number): string | undefined {
  const { run, document, gathered_at, idempotency_key } = manifest;
  const repository = job.repository === undefined ? '' : `${job.repository.owner}/${job.repository.name}`;
  const gathered = Date.parse(gathered_at);
  if (run.run_id !== runId) return `claims to be from run ${run.run_id}, but was downloaded from run ${runId}`;
  if (!isSameName(run.repository, repository)) return `is from the repository ${run.repository}, not ${repository}`;
  // Otherwise it could use the key of another run's item, which the service would then refuse.
  if (!isKeyOfRun(idempotency_key, runId)) return 'has an idempotency key that is not from its run';
  if (Number.isNaN(gathered) || gathered > now + clockDifference) {
    return `claims to be gathered in the future (${gathered_at})`;
  }
  const commit = textAt(document, 'git_commit_info', 'sha1');
  if (commit !== run.head_sha) return `is for commit ${commit ?? '(none)'}, but its run was for ${run.head_sha}`;
  const built = optionalText(document, ['git_commit']);
  if (built !== undefined && built !== commit) return 'names two commits in its document';
  const expected: readonly (readonly [path: readonly string[], value: string])[] = [
    [['user_data', idempotencyDataKey], idempotency_key],
    [['user_data', gatheredAtKey], gathered_at],
    [['user_data', provenanceKey, 'run_id'], runId],
    [['user_data', provenanceKey, 'event_name'], run.event_name],
  ];
  const wrong = expected.find(([path, value]) => ![undefined, value].includes(optionalText(document, path)));
  if (wrong !== undefined) return `has another \`${wrong[0].join('.')}\` in its document than in its manifest`;
  return nameProblem(document, repository, runId, job);
}

/** Undefined if there is no such field; a value that is not a text never matches. */
function optionalText(document: unknown, path: readonly string[]): string | undefined {
  const value = valueAt(document, ...path);
  return value === undefined ? undefined : typeof value === 'string' ? value : '';
}

/** The document may name its repository and its run for readers. */
function nameProblem(document: unknown, repository: string, runId: string, job: Job): string | undefined {
  for (const path of [
    ['repo_info', 'name'],
    ['user_data', provenanceKey, 'repository'],
  ]) {
    const named = optionalText(document, path);
    if (named !== undefined && !isSameName(named, repository))
      return `names another repository in \`${path.join('.')}\``;
  }
  const expected = `${repositoryUrl(job) ?? ''}/actions/runs/${runId}`.toLowerCase();
  for (const field of ['origin_url', 'build_url']) {
    const page = optionalText(document, [field])?.toLowerCase();
    if (page === undefined || page === expected || page.startsWith(`${expected}/`)) continue;
    return `names the page of another run in \`${field}\``;
  }
  return undefined;
}

/**
 * Why an item does not fit its run as GitHub knows it; undefined if it does. The end of a sentence. Runs are
 * refused if their code was neither written nor reviewed by someone with access to this repository.
 */
export function runProblem({ run: claimed, gathered_at }: SpoolManifest, run: WorkflowRun): string | undefined {
  if (run.headRepository === undefined || !isSameName(run.headRepository, run.repository)) {
    return `is from run ${claimed.run_id}, which a fork triggered`;
  }
  if (isStartedByDependabot(run.actor, run.eventName)) return `is from run ${claimed.run_id}, which Dependabot started`;
  if (!isSameName(run.repository, claimed.repository)) return `is from a run of the repository ${run.repository}`;
  if (run.eventName !== claimed.event_name) {
    return `claims the event ${claimed.event_name}, but run ${claimed.run_id} was started by ${run.eventName}`;
  }
  if (run.headSha !== claimed.head_sha) {
    return `claims commit ${claimed.head_sha}, but run ${claimed.run_id} was for ${run.headSha}`;
  }
  if (Number(claimed.run_attempt) > run.attempt) return `claims attempt ${claimed.run_attempt} of ${run.attempt}`;
  if (Date.parse(gathered_at) < run.createdAt - clockDifference) return 'claims to be gathered before its run began';
  return undefined;
}

/** The events that are about another commit than the run, which is of the default branch but may run the code of that. */
const foreignEvents: readonly string[] = [
  ...['pull_request_target', 'workflow_run', 'issue_comment'],
  ...['check_suite', 'check_run', 'status'],
];

/**
 * Whether the run had the code of the branch that this job runs on, which is reviewed as this job's own is. Anybody who
 * may push can have written that of a pull request, of another branch or of a tag. GitHub's answer does not tell a tag
 * from a branch of the same name.
 */
export function hasReviewedCode({ eventName, headBranch }: WorkflowRun, { refType, refName }: Job): boolean {
  if ([...pullRequestEvents, ...foreignEvents].includes(eventName)) return false;
  return refType === 'branch' && refName !== undefined && headBranch === refName;
}

// GitHub's names are not case-sensitive.
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
