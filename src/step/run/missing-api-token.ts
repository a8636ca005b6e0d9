import { restrictionOf, type Restriction } from '../../evidence/github/run-restriction.ts';
import type { Job } from '../../evidence/job.ts';
import { apiToken } from '../../operations/inputs/connection.ts';
import type { OperationResult } from '../../operations/operation.ts';
import { fact } from '../../operations/report.ts';
import type { Problem } from '../../runtime/failure.ts';
import { fallbackVariable } from './read-inputs.ts';

const reasons: Readonly<Record<Restriction | 'unset', string>> = {
  fork: 'this run is of a pull request from a fork, which gets no secrets',
  dependabot: "this run was started by Dependabot, which gets Dependabot's secrets and not those of Actions",
  unset: 'the secret is unset, or empty',
};

const ways: Readonly<Record<Restriction | 'unset', string>> = {
  fork: 'Judge it in a workflow that `workflow_run` starts, which has the secrets and must not run the code of the pull request; or leave the step out for forks.',
  dependabot:
    'Store the key among the Dependabot secrets of the repository or organization as well; or leave the step out where `github.actor` is `dependabot[bot]`.',
  unset: `Give it under \`with:\`, or set ${fallbackVariable('api-token')} in \`env:\`. See that the secret has the name that is used, that the job names the \`environment:\` whose secret it is, and that a reusable workflow is called with \`secrets: inherit\`.`,
};

/** What is wrong where there is no key, with the reason that can be seen, and the ways out. */
export function missingTokenProblem(job: Job): Problem {
  const why = restrictionOf(job) ?? 'unset';
  return {
    input: apiToken.name,
    what: `\`${apiToken.name}\` is required and is missing or empty: ${reasons[why]}`,
    remedy: `${ways[why]} Where nothing should be judged without a key, set \`on-missing-token: skip\`.`,
  };
}

/** The result of a step that does nothing for want of a key, because its author asked for that. */
export function skippedResult(operation: string, job: Job): OperationResult {
  const why = reasons[restrictionOf(job) ?? 'unset'];
  return {
    outcome: 'skipped',
    conclusion: `${operation} was skipped: there is no \`${apiToken.name}\`, because ${why}. Nothing was sent and nothing was judged; the step passes because of \`on-missing-token: skip\`, so this is no verdict.`,
    response: { skipped: { operation, reason: why } },
    report: {
      subject: `${operation} without a key`,
      facts: fact('Reason', why),
      tables: [],
    },
  };
}
