import {
  attestSonar as endpoint,
  gatheredAtKey,
  revisionKeys,
  type SonarAttestation,
} from '../../contract/attestation.ts';
import { idempotencyDataKey } from '../../contract/idempotency.ts';
import type { GitCommitInfo } from '../../contract/commit.ts';
import { gatherCommitEvidence, type CommitEvidence } from '../../evidence/commit/gather-commit.ts';
import { runUrl, repositoryInfo } from '../../evidence/job.ts';
import { runProvenance, withProvenance } from '../../evidence/run-provenance.ts';
import { gatherSonar, type SonarEvidence } from '../../evidence/sonar/gather-sonar.ts';
import { readUserData } from '../../evidence/user-data.ts';
import { UserError } from '../../runtime/failure.ts';
import { deliverEvidence, withKeptEvidence } from '../deliver-evidence.ts';
import { deliveryInputs } from '../inputs/delivery-inputs.ts';
import {
  commitSha,
  files,
  githubToken,
  redactCommitInfo,
  sonarHostUrl,
  sonarReportPath,
  sonarTimeout,
  sonarToken,
  unverifiedRevision,
  userData,
} from '../inputs/evidence-inputs.ts';
import { attestationName, description, fingerprint, flow, trail } from '../inputs/flow-inputs.ts';
import { optional, required, withDefault, type ValuesOf } from '../inputs/input.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { createSonarResult } from './sonar-result.ts';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import { type Attachment, prepareAttachment } from '../../evidence/attachment/attachment.ts';
import { resolveFiles } from '../../evidence/files/resolve-files.ts';
import { connectSources } from '../../evidence/commit/commit-sources.ts';

const inputs = {
  flow: required(flow),
  trail: optional(trail),
  attestationName: withDefault(attestationName, 'sonar'),
  fingerprint: optional(fingerprint),
  description: optional(description),
  userData: optional(userData),
  files: optional(files),
  sonarReportPath: optional(sonarReportPath),
  sonarHostUrl: optional(sonarHostUrl),
  sonarToken: optional(sonarToken),
  sonarTimeoutSeconds: withDefault(sonarTimeout, 300),
  unverifiedRevision: withDefault(unverifiedRevision, 'warn'),
  commitSha: optional(commitSha),
  redactCommitInfo: withDefault(redactCommitInfo, []),
  githubToken: optional(githubToken),
  ...deliveryInputs,
} as const;

type Inputs = ValuesOf<typeof inputs>;

/** Operation 7: records the Sonar analysis of a commit, with files, and judges by its quality gate. */
export const attestSonar = defineOperation({
  name: 'attest-sonar',
  endpoint,
  gate: 'fail',
  inputs,
  async run(values, context) {
    const { log } = context.call;
    // The inputs are checked first, because Sonar may take minutes.
    const own = await readOwnUserData(values, context);
    const data = withProvenance(own, runProvenance(context.job, values.redactCommitInfo));
    const attachment = await prepareFiles(values.files, context);
    try {
      const commit = await log.group('Collect commit information', () => gatherCommit(values, context));
      const { info } = commit;
      const sonar = await log.group('Collect the Sonar analysis', () => gatherAnalysis(values, commit, context));
      const trailName = values.trail ?? info.sha1;
      const gatheredAt = context.call.clock.now();
      const { answer, kept } = await log.group('Send the attestation', () =>
        deliverEvidence(
          endpoint,
          {
            parameters: { org: context.org, flow_name: values.flow, trail_name: trailName },
            document: toAttestation(values, { commit: info, sonar, data, gatheredAt, context }),
            ...(attachment === undefined ? {} : { file: attachment }),
          },
          { ...values, gatheredAt },
          context,
        ),
      );
      const attested = { ...values, trail: trailName, commit: info, sonar, attachment };
      const result = createSonarResult({ ...attested, isRecorded: kept === undefined, response: answer?.body });
      return withKeptEvidence(result, kept);
    } finally {
      attachment?.dispose();
    }
  },
});

/**
 * Reads the input `user-data`.
 *
 * @throws UserError also if it has a key that the action sets: when the evidence was gathered, its
 * idempotency key, and whether the revision is verified
 */
async function readOwnUserData({ userData: given }: Inputs, { workspace }: OperationContext): Promise<Mapping> {
  const data = given === undefined ? {} : await readUserData(given, workspace);
  const taken = [...Object.values(revisionKeys), gatheredAtKey, idempotencyDataKey].filter((key) =>
    Object.hasOwn(data, key),
  );
  if (taken.length === 0) return data;
  throw new UserError({
    input: 'user-data',
    what: `\`user-data\` has the key ${taken.join(' and the key ')}, which the action itself sets`,
    remedy: 'Use another name for the key.',
  });
}

function revisionData({ unverifiedReason }: SonarEvidence): Mapping {
  return unverifiedReason === undefined
    ? { [revisionKeys.verified]: true }
    : { [revisionKeys.verified]: false, [revisionKeys.reason]: unverifiedReason };
}

/** How many files the log lists at most. */
const maximumListedFiles = 100;

async function prepareFiles(
  patterns: Inputs['files'],
  { workspace, temporaryDirectory, call: { log, signal } }: OperationContext,
): Promise<Attachment | undefined> {
  if (patterns === undefined) return undefined;
  return log.group('Collect the files', async () => {
    const found = await resolveFiles({ patterns, workspace });
    for (const { name, size } of found.slice(0, maximumListedFiles)) log.info(`${name}: ${size} bytes`);
    if (found.length > maximumListedFiles) log.info(`… and ${found.length - maximumListedFiles} more files`);
    return prepareAttachment(found, { temporary: temporaryDirectory, signal });
  });
}

function gatherCommit(values: Inputs, { client, job, environment, call }: OperationContext): Promise<CommitEvidence> {
  const whileGitRuns = (): void => {
    void client.preload(endpoint);
  };
  const { transport, log, clock, signal } = call;
  return gatherCommitEvidence(
    { job, commitSha: values.commitSha, redact: values.redactCommitInfo, log },
    connectSources({ job, environment, githubToken: values.githubToken, transport, log, clock, signal, whileGitRuns }),
  );
}

function gatherAnalysis(
  values: Inputs,
  { info, committedAt }: CommitEvidence,
  { workspace, job, call }: OperationContext,
): Promise<SonarEvidence> {
  return gatherSonar(
    {
      reportPath: values.sonarReportPath,
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
}

interface Gathered {
  readonly commit: GitCommitInfo;
  readonly sonar: SonarEvidence;
  readonly data: Readonly<Record<string, unknown>>;
  /** In milliseconds since the epoch. */
  readonly gatheredAt: number;
  readonly context: OperationContext;
}

function toAttestation(values: Inputs, { commit, sonar, data, gatheredAt, context }: Gathered): SonarAttestation {
  const { name, artifact } = splitName(values.attestationName);
  const repository = repositoryInfo(context.job);
  const origin = runUrl(context.job);
  return {
    attestation_name: name,
    ...(artifact === undefined ? {} : { target_artifacts: [artifact] }),
    ...(values.fingerprint === undefined ? {} : { artifact_fingerprint: values.fingerprint }),
    git_commit_info: commit,
    sonar_results: sonar.results,
    user_data: { ...data, ...revisionData(sonar), [gatheredAtKey]: new Date(gatheredAt).toISOString() },
    ...(repository === undefined ? {} : { repo_info: repository }),
    ...(origin === undefined ? {} : { origin_url: origin }),
    ...(values.description === undefined ? {} : { description: values.description }),
  };
}

/** `web.unit` is the attestation `unit` of the artifact `web` in the template (observed in requests). */
function splitName(text: string): { name: string; artifact: string | undefined } {
  const dot = text.indexOf('.');
  return dot < 0 ? { name: text, artifact: undefined } : { name: text.slice(dot + 1), artifact: text.slice(0, dot) };
}
