import type { TokenSource } from '../../client/login.ts';
import { findRunRestriction, type RunRestriction } from '../../evidence/github/run-restriction.ts';
import type { Job } from '../../evidence/job.ts';
import { apiToken } from '../../operations/inputs/connection-inputs.ts';
import type { OperationResult } from '../../operations/operation.ts';
import { fact } from '../../operations/report.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { Problem } from '../../runtime/failure.ts';
import { fallbackVariable } from './read-inputs.ts';

const reasons: Readonly<Record<RunRestriction | 'unset', string>> = {
  fork: 'this run is for a pull request from a fork, which gets no secrets',
  dependabot: 'this run was started by Dependabot, which gets Dependabot secrets instead of Actions secrets',
  unset: 'the secret is unset or empty',
};

const logInRemedy = 'Give the job `permissions: id-token: write`, so that it can log in without a key';

const remedies: Readonly<Record<RunRestriction | 'unset', string>> = {
  fork: 'Run this step in a workflow triggered by `workflow_run`, which gets the secrets and must not run code from the pull request, or skip the step for forks.',
  dependabot: `${logInRemedy}, or also store the key as a Dependabot secret of the repository or organization, or skip the step if \`github.actor\` is \`dependabot[bot]\`.`,
  unset: `${logInRemedy}, or set the key under \`with:\`, or set ${fallbackVariable('api-token')} in \`env:\`. Check that the secret has this name, that the job names the \`environment:\` that the secret belongs to, and that a reusable workflow is called with \`secrets: inherit\`.`,
};

/** The problem of a missing `api-token`, with the likely reason and its remedies. */
export function missingTokenProblem(job: Job): Problem {
  const why = findRunRestriction(job) ?? 'unset';
  return {
    input: apiToken.name,
    what: `\`${apiToken.name}\` is required but missing or empty: ${reasons[why]}`,
    remedy: `${remedies[why]} To skip the step if there is no key, set \`on-missing-token: skip\`.`,
  };
}

/**
 * Where the job gets identity tokens to log in with; undefined if it has no `permissions: id-token: write`. Runs of
 * forks do not log in, even if a private repository lets them.
 */
export function findTokenSource(job: Job, environment: EnvironmentVariables): TokenSource | undefined {
  const url = URL.parse(environment['ACTIONS_ID_TOKEN_REQUEST_URL'] ?? '');
  const token = environment['ACTIONS_ID_TOKEN_REQUEST_TOKEN'] ?? '';
  return url === null || token === '' || findRunRestriction(job) === 'fork' ? undefined : { url, token };
}

/**
 * The result of a step without `api-token` when `on-missing-token` is `skip`.
 *
 * @param refusal why the step could not log in either, if it tried
 */
export function skippedResult(operation: string, job: Job, refusal?: string): OperationResult {
  const why = refusal ?? reasons[findRunRestriction(job) ?? 'unset'];
  return {
    outcome: 'skipped',
    conclusion: `${operation} was skipped: there is no \`${apiToken.name}\`, because ${why}. Nothing was sent and nothing was judged. The step passes because of \`on-missing-token: skip\`; this is not a verdict.`,
    response: { skipped: { operation, reason: why } },
    report: { subject: `${operation} without an API key`, facts: fact('Reason', why) },
  };
}
