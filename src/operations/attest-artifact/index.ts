import { reportArtifact as endpoint, type SentArtifactReport } from '../../contract/artifact-report.ts';
import type { GitCommitInfo } from '../../contract/commit.ts';
import { maximumLineLength } from '../../contract/limits.ts';
import { templateReferenceName } from '../../contract/names.ts';
import { type Job, repositoryInfo, repositoryUrl, runUrl } from '../../evidence/job.ts';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import { gatherCommit } from '../gather-commit.ts';
import { image } from '../inputs/artifact-inputs.ts';
import { checkLinks, commitInputs, remarkInputs, toRemarks } from '../inputs/attestation-inputs.ts';
import { deliveryInputs } from '../inputs/delivery-inputs.ts';
import { artifactFiles, userData } from '../inputs/evidence-inputs.ts';
import { fingerprint, flow, trail } from '../inputs/flow-inputs.ts';
import { optional, required } from '../inputs/input.ts';
import { schemaText, text } from '../inputs/input-types.ts';
import { defineOperation } from '../operation.ts';
import { readOwnUserData } from '../own-user-data.ts';
import { trailPageUrl } from '../trail-page-url.ts';
import { createReportResult } from './artifact-report-result.ts';
import { type BuiltArtifact, checkArtifactInputs, gatherArtifacts } from './gather-artifacts.ts';
import { reportArtifacts } from './report-artifacts.ts';

const inputs = {
  flow: required(flow),
  trail: optional(trail),
  fingerprint: optional(fingerprint),
  /** The name of an artifact whose fingerprint is given. */
  filename: optional(text('filename', maximumLineLength)),
  files: optional(artifactFiles),
  /** The path of a file in the format of `sha256sum`. */
  checksumsPath: optional(text('checksums-path')),
  image: optional(image),
  artifactName: optional(
    schemaText(
      'artifact-name',
      templateReferenceName,
      'the name of an artifact in a template: letters, digits, `-` and `_`',
      'Use the name that the template of the flow has for the artifact.',
    ),
  ),
  userData: optional(userData),
  ...remarkInputs,
  ...commitInputs,
  ...deliveryInputs,
} as const;

/** Reports artifacts that the job built, with the commit, the run and the repository that they come from. */
export const attestArtifact = defineOperation({
  name: 'attest-artifact',
  endpoint,
  gate: 'ignore',
  inputs,
  check: (values) => [...checkArtifactInputs(values), ...checkLinks(values)],
  async run(values, context) {
    const { log, clock } = context.call;
    const data = values.userData === undefined ? undefined : await readOwnUserData(values.userData, [], context);
    const artifacts = await gatherArtifacts(values, context);
    const { info: commit } = await gatherCommit(values, context, endpoint);
    const { flow: flowName, trail: trailName = commit.sha1, artifactName: name } = values;
    const reported = await log.group('Send the artifacts', () =>
      reportArtifacts(
        artifacts,
        {
          ...values,
          gatheredAt: clock.now(),
          toDocument: (artifact) => ({
            ...toReport(artifact, commit, context.job),
            trail_name: trailName,
            ...(name === undefined ? {} : { template_reference_name: name }),
            ...toRemarks(values),
            ...(data === undefined ? {} : { user_data: data satisfies Mapping }),
          }),
        },
        context,
      ),
    );
    const page = trailPageUrl(context, flowName, trailName);
    return createReportResult({ flow: flowName, trail: trailName, trailPageUrl: page, commit, reported });
  },
});

function toReport(
  { filename: name, fingerprint: digest }: BuiltArtifact,
  commit: GitCommitInfo,
  job: Job,
): SentArtifactReport {
  const repository = repositoryInfo(job);
  return {
    fingerprint: digest,
    filename: name,
    git_commit: commit.sha1,
    git_commit_info: commit,
    build_url: runUrl(job) ?? '',
    commit_url: commit.url ?? '',
    // The public client sends an empty text if there is none.
    repo_url: repositoryUrl(job) ?? '',
    ...(repository === undefined ? {} : { repo_info: repository }),
  };
}
