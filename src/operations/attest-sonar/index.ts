import { revisionKeys, sonarKind } from '../../contract/attestations/sonar.ts';
import { gatherSonar, type SonarEvidence } from '../../evidence/sonar/gather-sonar.ts';
import type { Problem } from '../../runtime/failure.ts';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import { defineAttestOperation } from '../attest/define-attest-operation.ts';
import { optional, type ValuesOf, withDefault } from '../inputs/input.ts';
import { httpUrl, integer, oneOf, secret, text } from '../inputs/input-types.ts';
import { presentAnalysis } from './sonar-result.ts';

const inputs = {
  /** The report of a Sonar scan: `report-task.txt`, its folder, or a JSON report. */
  sonarReportPath: optional(text('sonar-report-path')),
  sonarTaskUrl: optional(
    httpUrl(
      'sonar-task-url',
      'Use the `ceTaskUrl` of the scanner: https://sonarqube.example.com/api/ce/task?id=….',
      'Give the token in `sonar-token` instead.',
    ),
  ),
  sonarProjectKey: optional(text('sonar-project-key', 400)),
  /** The branch that was analysed, if it is not the main branch. */
  sonarBranch: optional(text('sonar-branch', 255)),
  sonarPullRequest: optional(text('sonar-pull-request', 255)),
  sonarHostUrl: optional(
    httpUrl(
      'sonar-host-url',
      'Use the URL of the Sonar server, such as https://sonarqube.example.com.',
      'Give the token in `sonar-token` instead.',
    ),
  ),
  sonarToken: optional(secret('sonar-token')),
  /** How long to wait for Sonar's background task, in seconds. */
  sonarTimeoutSeconds: withDefault(integer('sonar-timeout', 1, 21_600, 'seconds'), 300),
  /** What to do if nothing confirms which commit was analysed. It decides a gate, so it has no environment fallback. */
  unverifiedRevision: withDefault(oneOf('unverified-revision', ['warn', 'fail']), 'fail'),
} as const;

/** Operation 7: records the Sonar analysis of a commit, with files, and judges by its quality gate. */
export const attestSonar = defineAttestOperation({
  kind: sonarKind,
  defaultName: 'sonar',
  inputs,
  check: checkSources,
  reservedKeys: Object.values(revisionKeys),
  gatherTitle: 'Collect the Sonar analysis',
  async gather(values, { info, committedAt }, { workspace, job, call }) {
    const { sonarProjectKey: key } = values;
    const sonar = await gatherSonar(
      {
        reportPath: values.sonarReportPath,
        taskUrl: values.sonarTaskUrl,
        project:
          key === undefined ? undefined : { key, branch: values.sonarBranch, pullRequest: values.sonarPullRequest },
        hostUrl: values.sonarHostUrl,
        token: values.sonarToken,
        timeoutMilliseconds: values.sonarTimeoutSeconds * 1000,
        workspace,
        expected: { sha: info.sha1, committedAt },
        unverifiedRevision: values.unverifiedRevision,
        event: { name: job.eventName, sha: job.sha, isCommitGiven: values.commitSha !== undefined },
      },
      call,
    );
    return { sonar, data: revisionData(sonar) };
  },
  toDocument: (common, { sonar }) => ({ ...common, sonar_results: sonar.results }),
  present: ({ sonar }, attested) => presentAnalysis(sonar, attested),
});

function revisionData({ confirmedBy, unverifiedReason }: SonarEvidence): Mapping {
  return unverifiedReason === undefined
    ? { [revisionKeys.verified]: true, [revisionKeys.confirmedBy]: confirmedBy }
    : { [revisionKeys.verified]: false, [revisionKeys.reason]: unverifiedReason };
}

/** Checks that there is one source of the analysis: a report (which has default paths), a task, or a project. */
function checkSources(values: ValuesOf<typeof inputs>): readonly Problem[] {
  const { sonarReportPath, sonarTaskUrl, sonarProjectKey, sonarBranch, sonarPullRequest, sonarHostUrl } = values;
  const problems: Problem[] = [];
  if ([sonarReportPath, sonarTaskUrl, sonarProjectKey].filter((one) => one !== undefined).length > 1) {
    problems.push({
      what: 'Only one of `sonar-report-path`, `sonar-task-url` and `sonar-project-key` can be given',
      remedy: 'Keep the one that names the analysis.',
    });
  }
  if (sonarProjectKey !== undefined && sonarHostUrl === undefined) {
    problems.push({
      input: 'sonar-host-url',
      what: '`sonar-project-key` needs `sonar-host-url`, because no report names the server',
      remedy: 'Set `sonar-host-url` to the address of the Sonar server.',
    });
  }
  const narrowing = sonarBranch ?? sonarPullRequest;
  if (narrowing !== undefined && sonarProjectKey === undefined) {
    problems.push({
      input: 'sonar-project-key',
      what: '`sonar-branch` and `sonar-pull-request` need `sonar-project-key`',
      remedy: 'Set `sonar-project-key`, or remove them: a report or a task names its own branch.',
    });
  }
  if (sonarBranch !== undefined && sonarPullRequest !== undefined) {
    problems.push({
      input: 'sonar-branch',
      what: 'Only one of `sonar-branch` and `sonar-pull-request` can be given',
      remedy: 'For the analysis of a pull request, set `sonar-pull-request`.',
    });
  }
  return problems;
}
