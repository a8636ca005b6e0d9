import {
  type CommonAttestation,
  gatheredAtKey,
  unattachedFilesKey,
} from '../../contract/attestations/attestation-fields.ts';
import type { AttestationKind } from '../../contract/attestations/attestation-kind.ts';
import type { GitCommitInfo } from '../../contract/commit.ts';
import type { EvidenceEndpoint } from '../../contract/evidence-endpoints.ts';
import type { Static, TSchema } from '../../contract/schema.ts';
import type { CommitEvidence } from '../../evidence/commit/gather-commit.ts';
import type { MatchedFile } from '../../evidence/files/resolve-files.ts';
import { repositoryInfo, runUrl } from '../../evidence/job.ts';
import { runProvenance, withProvenance } from '../../evidence/run-provenance.ts';
import type { Problem } from '../../runtime/failure.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import { deliverEvidence, withUndelivered } from '../deliver-evidence.ts';
import { gatherCommit } from '../gather-commit.ts';
import { attestationInputs, attestationNameInput, checkLinks, toRemarks } from '../inputs/attestation-inputs.ts';
import type { Uses, ValuesOf } from '../inputs/input.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { readOwnUserData } from '../own-user-data.ts';
import { resolveImageFingerprint } from '../resolve-image.ts';
import { trailPageUrl } from '../trail-page-url.ts';
import { assessAttestation } from './assess-attestation.ts';
import { attachFiles } from './attach-files.ts';
import { type Attested, createAttestationResult, type EvidencePresentation } from './attestation-report.ts';
import { readRecord } from './read-record.ts';

/** The values of the inputs of every operation that records an attestation. */
export type AttestationValues = ValuesOf<typeof attestationInputs> & { readonly attestationName: string };

interface GatheredEvidence {
  /** What the action adds to `user_data`. */
  readonly data?: Mapping;
  /** What the operation itself needs for the document and the report. */
  readonly [part: string]: unknown;
}

interface AttestDeclaration<Schema extends TSchema, Own extends Uses, Gathered extends GatheredEvidence> {
  readonly kind: AttestationKind<string, Schema>;
  /** The default of `attestation-name`, which is required if there is none. */
  readonly defaultName?: string;
  readonly inputs: Own;
  /** Checks its inputs against each other. */
  readonly check?: (values: AttestationValues & ValuesOf<Own>) => readonly Problem[];
  /** The keys of `user_data` that it sets itself. */
  readonly reservedKeys?: readonly string[];
  /**
   * Finds the files that the evidence is read from. They are attached together with `files`; if they are too large for
   * that, their digests are recorded.
   *
   * @throws UserError if there are none
   */
  readonly findSources?: (
    values: AttestationValues & ValuesOf<Own>,
    context: OperationContext,
  ) => Promise<readonly MatchedFile[]>;
  /** The title of the log group in which `gather` runs: `Collect the Sonar analysis`. */
  readonly gatherTitle: string;
  /** @throws Failure if there is no evidence, or it cannot be read */
  readonly gather: (
    values: AttestationValues & ValuesOf<Own>,
    commit: CommitEvidence,
    context: OperationContext,
    sources: readonly MatchedFile[],
  ) => Promise<Gathered>;
  /** The document of the request: the common fields and those of the kind. */
  readonly toDocument: (common: CommonAttestation, gathered: Gathered) => Static<Schema>;
  readonly present: (gathered: Gathered, attested: Attested) => EvidencePresentation;
}

/**
 * Declares an operation that records attestations of one kind. All of them gather the commit and the files, send the
 * attestation, or keep it if the service is down, and report the verdict in the same way.
 */
export function defineAttestOperation<
  Schema extends TSchema,
  const Own extends Uses,
  Gathered extends GatheredEvidence,
>(declaration: AttestDeclaration<Schema, Own, Gathered>): Operation {
  const {
    kind,
    defaultName,
    inputs,
    check = () => [],
    reservedKeys = [],
    findSources,
    gatherTitle,
    gather,
  } = declaration;
  const endpoint: EvidenceEndpoint = kind.endpoint;
  const filesKeys = findSources === undefined ? [] : [unattachedFilesKey];
  const reserved = [...reservedKeys, ...filesKeys];
  return {
    name: kind.endpoint.operation,
    endpoint,
    gate: 'fail',
    inputs: { ...attestationInputs, attestationName: attestationNameInput(defaultName), ...inputs },
    check: (values: AttestationValues & ValuesOf<Own>) => [
      ...checkArtifact(values),
      ...checkLinks(values),
      ...check(values),
    ],
    async run(values: AttestationValues & ValuesOf<Own>, context: OperationContext) {
      const { log, clock } = context.call;
      // The inputs are checked first, because gathering may take minutes.
      const own = await readOwnUserData(values.userData, reserved, context);
      const data = withProvenance(own, runProvenance(context.job, values.redactCommitInfo));
      const { image } = values;
      const fingerprint = image === undefined ? values.fingerprint : await resolveImageFingerprint(image, context);
      const sources = (await findSources?.(values, context)) ?? [];
      const gatherAll = async (): Promise<{ readonly commit: CommitEvidence; readonly gathered: Gathered }> => {
        const commit = await gatherCommit(values, context, endpoint);
        return { commit, gathered: await log.group(gatherTitle, () => gather(values, commit, context, sources)) };
      };
      // Files with evidence are read before they are packed, because packing takes long and reading may refuse them.
      const read = sources.length === 0 ? undefined : await gatherAll();
      const { attachment, unattached } = await attachFiles(values, sources, context);
      try {
        const { commit, gathered } = read ?? (await gatherAll());
        const { flow, attestationName } = values;
        const trail = values.trail ?? commit.info.sha1;
        const gatheredAt = clock.now();
        const userData = {
          ...data,
          ...gathered.data,
          ...(unattached === undefined ? {} : { [unattachedFilesKey]: unattached }),
          [gatheredAtKey]: new Date(gatheredAt).toISOString(),
        };
        const common = toCommonAttestation({ ...values, fingerprint }, { commit: commit.info, userData }, context);
        const document = declaration.toDocument(common, gathered);
        const { delivery, record } = await log.group('Send the attestation', async () => {
          const sent = await deliverEvidence(
            endpoint,
            {
              parameters: { org: context.org, flow_name: flow, trail_name: trail },
              document,
              ...(attachment === undefined ? {} : { file: attachment }),
            },
            { ...values, gatheredAt },
            context,
          );
          const key = sent.answer?.key;
          const found =
            key === undefined ? undefined : readRecord({ flow, trail, attestationName, fingerprint, key }, context);
          return { delivery: sent, record: await found };
        });
        const { answer, kept, lost } = delivery;
        const { description } = values;
        const assessment = await assessAttestation(kind.judge(document), record, {
          name: attestationName,
          type: kind.typeOf(document),
          description,
          isJudgedByService: kind.isJudgedByService,
        });
        for (const { what, remedy } of assessment.remarks) log.warning(`${endpoint.operation}: ${what}. ${remedy}`);
        const isRecorded = answer !== undefined;
        const attested: Attested = {
          ...{ flow, trail, attestationName, description, commit: commit.info, ...assessment, attachment, unattached },
          ...{ isRecorded, trailPageUrl: isRecorded ? trailPageUrl(context, flow, trail) : undefined },
          response: answer?.body,
        };
        const result = createAttestationResult(attested, declaration.present(gathered, attested));
        return withUndelivered(result, { kept, lost });
      } finally {
        attachment?.dispose();
      }
    },
  };
}

function checkArtifact({ fingerprint, image }: AttestationValues): readonly Problem[] {
  if (fingerprint === undefined || image === undefined) return [];
  return [
    {
      input: 'image',
      what: '`image` and `fingerprint` exclude each other: both say which artifact the evidence is about',
      remedy: 'Remove one of them.',
    },
  ];
}

function toCommonAttestation(
  values: AttestationValues,
  { commit, userData }: { readonly commit: GitCommitInfo; readonly userData: Record<string, unknown> },
  { job }: OperationContext,
): CommonAttestation {
  const { name, artifact } = splitName(values.attestationName);
  const repository = repositoryInfo(job);
  const origin = runUrl(job);
  return omitUndefined({
    attestation_name: name,
    ...(artifact === undefined ? {} : { target_artifacts: [artifact] }),
    artifact_fingerprint: values.fingerprint,
    git_commit_info: commit,
    user_data: userData,
    repo_info: repository,
    origin_url: origin,
    description: values.description,
    ...toRemarks(values),
  });
}

/** `web.unit` is the attestation `unit` of the artifact `web` in the template (observed in requests). */
function splitName(text: string): { name: string; artifact: string | undefined } {
  const dot = text.indexOf('.');
  return dot < 0 ? { name: text, artifact: undefined } : { name: text.slice(dot + 1), artifact: text.slice(0, dot) };
}
