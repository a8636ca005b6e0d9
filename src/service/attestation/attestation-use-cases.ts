import {
  type AttestationDocument,
  type AttestationDocuments,
  type KindName,
  rulesOf,
} from '../../contract/attestations/kinds.ts';
import { maximumEvidenceNames } from '../../contract/limits.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { Attribution } from '../account/access.ts';
import { countsForAny } from '../account/audience.ts';
import { type CustomTypeObstacle, judgeCustom } from '../custom-type/custom-type-use-cases.ts';
import type { Recorded } from '../login/recorded.ts';
import { requireQuotas } from '../organization/quota.ts';
import type { AttachmentStore, ReceivedFile } from '../platform/attachments/attachments.ts';
import { settleContent } from '../platform/attachments/remove-content.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import {
  findRepeatedRequest,
  type KeyedRequest,
  type OnceResult,
  type RepeatedRequest,
} from '../platform/idempotency/carry-out-once.ts';
import { newIdentifier } from '../platform/identifier.ts';
import { type JudgingContext, runJudgingTransaction } from '../platform/judging/judging.ts';
import { judgeEvidence } from '../platform/judging/snapshot-updates.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { toSearchWords } from '../trail/search-words.ts';
import { fromAttestation } from '../trail/trail.ts';
import { judgeReported } from '../trail/trail-verdict-use-cases.ts';
import type { Attachment, Attestation } from './attestation.ts';
import type { AttestationReader, EvidencePlace, LatestAttestation, NewAttestation } from './attestation-records.ts';
import { evidenceName, toAttestationScopes } from './evidence-scope.ts';
import { findFacts } from './facts.ts';
import { toRecordedFaults } from './reasons.ts';

export interface AttestationCommand extends Attribution {
  readonly org: string;
  readonly flow: string;
  readonly trail: string;
  readonly kind: KindName;
  readonly document: Recorded<AttestationDocument>;
  /** The attachment; stored only if the attestation can be recorded. */
  readonly file?: FileToAttach | undefined;
}

interface CustomCommand extends AttestationCommand {
  readonly document: Recorded<AttestationDocuments['custom']>;
}

/** Whether the attestation is of the kind `custom`; its document is then, too. */
function isCustom(command: Omit<AttestationCommand, 'file'>): command is CustomCommand {
  return command.kind === 'custom';
}

/** A file that was received and is not stored yet. */
export interface FileToAttach {
  readonly filename: string;
  readonly content: Pick<ReceivedFile, 'digest' | 'size' | 'keep'>;
}

/** `too many names`: the name is new, and its subject already has evidence of `maximumEvidenceNames` names. */
export type AttestResult = 'recorded' | 'flow not found' | 'too many names' | 'artifact not found' | CustomTypeObstacle;

// In characters. The reason is stored with every judgement that uses the attestation; the document holds everything.
export const maximumReasonLength = 500;

/** Records an attestation. If it has a fingerprint, the artifact must have been reported to the trail. */
export async function attest(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now' | 'randomBytes' | 'quotas'> & {
    readonly attachments: Pick<AttachmentStore, 'remove'>;
  },
  { file, ...command }: AttestationCommand,
  request?: KeyedRequest<AttestResult>,
): Promise<OnceResult<AttestResult>> {
  const { kind, ...sent } = command;
  const { org, flow, trail, document } = sent;
  const { quotas } = dependencies;
  const { artifact_fingerprint: fingerprint } = document;
  const place = toPlace({ ...sent, name: document.attestation_name });
  // The transaction finds the other obstacles, but only after a file is stored and a custom type has judged, and it does
  // not look for the artifact.
  const isCostly = file !== undefined || kind === 'custom';
  if (isCostly || fingerprint !== undefined) {
    const obstacle = await dependencies.storage.read(async ({ flows, artifacts, attestations, usage }) => {
      const repetition = isCostly ? await findRepeated(attestations, place, request) : undefined;
      if (repetition !== undefined) return repetition;
      if (!(await flows.exists(org, flow))) return 'flow not found';
      if (isCostly && (await isAnyScopeFull(attestations, { ...place, ...sent }))) return 'too many names';
      if (file !== undefined && quotas !== undefined) {
        const used = await usage.find(org, unixSeconds(dependencies.now()));
        const bytes = used['attachment-bytes'] + file.content.size;
        requireQuotas(quotas, org, used, { ...used, records: used.records + 1, 'attachment-bytes': bytes });
      }
      if (fingerprint === undefined || (await artifacts.exists({ org, flow, trail }, fingerprint))) return undefined;
      return 'artifact not found';
    });
    if (obstacle !== undefined) return obstacle;
  }
  const rules = rulesOf(kind);
  const judged = isCustom(command)
    ? await judgeCustom(dependencies, org, command.document)
    : { document, judgement: rules.judge(document) };
  if (typeof judged === 'string') return judged;
  const { verdict, reason, faults } = judged.judgement;
  const attachment = await keep(dependencies, org, file);
  const attestation = {
    ...sent,
    document: judged.document,
    id: newIdentifier(dependencies),
    name: document.attestation_name,
    type: rules.typeOf(document),
    verdict,
    reason: truncate(reason, maximumReasonLength),
    faults: toRecordedFaults(faults, document.description),
    facts: findFacts(kind, judged.document),
    createdAt: unixSeconds(dependencies.now()),
    attachment,
  };
  const result = await recordAttestation(dependencies, attestation, request);
  // It may have been removed in between, here or by another organization.
  if (file !== undefined && (await listRemovers(dependencies, file)).length > 0)
    await settleContent(dependencies, file.content.digest, () => file.content.keep());
  return result;
}

/** The organizations that removed an attachment with the same content. */
function listRemovers(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { content: { digest } }: FileToAttach,
): Promise<readonly string[]> {
  return storage.read(({ removedAttachments }) => removedAttachments.listOrganizations(digest));
}

/** The scopes in which an attestation counts until another one with the same evidence name is recorded there. */
type AttestationPlace = Pick<EvidencePlace, 'scopes' | 'evidence'> & { readonly org: string };

function toPlace({
  org,
  trail,
  name,
  document,
}: Pick<Attestation, 'org' | 'trail' | 'name' | 'document'>): AttestationPlace {
  const { artifact_fingerprint, target_artifacts, git_commit_info } = document;
  const subject = { trail, attestation_name: name, artifact_fingerprint, target_artifacts };
  const scopes = toAttestationScopes({ ...subject, git_commit: git_commit_info?.sha1 });
  return { org, scopes, evidence: evidenceName(name) };
}

/** Whether the name is new in a scope that has the maximum of names. */
function isAnyScopeFull(
  attestations: AttestationReader,
  { org, flow, ...place }: AttestationPlace & Pick<Attestation, 'flow' | 'countsFor'>,
): Promise<boolean> {
  return attestations.isAnyScopeFull({ org, flow }, { ...place, maximumNames: maximumEvidenceNames });
}

/** Requests with the same content have the same place. */
function findRepeated(
  attestations: AttestationReader,
  { org, scopes, evidence }: AttestationPlace,
  request: KeyedRequest<AttestResult> | undefined,
): Promise<RepeatedRequest<AttestResult> | undefined> {
  return findRepeatedRequest(request, attestations, 'recorded', (key) =>
    attestations.isCurrent(org, key, scopes, evidence),
  );
}

/**
 * Stores the content before the record, so that a crash cannot leave a record without its file. Content that the
 * organization has removed is not stored again.
 */
async function keep(
  dependencies: Pick<UseCaseDependencies, 'storage'>,
  org: string,
  file: FileToAttach | undefined,
): Promise<Attachment | undefined> {
  if (file === undefined) return undefined;
  const { filename, content } = file;
  if (!(await listRemovers(dependencies, file)).includes(org)) await content.keep();
  return { filename, digest: content.digest, size: content.size };
}

/**
 * Records an attestation with a given id and time, and judges the environments that run its artifacts again. Creates
 * the trail if it does not exist.
 */
export function recordAttestation(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging'>,
  attestation: Omit<Attestation, 'sequence'>,
  request?: KeyedRequest<AttestResult>,
): Promise<OnceResult<AttestResult>> {
  const { document, ...summary } = attestation;
  const { org, flow, trail, createdAt } = summary;
  const documentJson = JSON.stringify(document);
  const words = toSearchWords(document, summary.attachment?.filename);
  const { artifact_fingerprint } = document;
  const place = toPlace(attestation);
  const { scopes, evidence } = place;
  const judged = artifact_fingerprint === undefined ? { flow, trail } : { fingerprint: artifact_fingerprint };
  const work = async (transaction: WriteTransaction, context: JudgingContext): Promise<OnceResult<AttestResult>> => {
    const { flows, trails, search, attestations } = transaction;
    const inFlow = { org, flow };
    // Together, because other transactions wait, and each may take a round trip to the database.
    const [repetition, flowExists, isFull, before] = await Promise.all([
      findRepeated(attestations, place, request),
      flows.exists(org, flow),
      isAnyScopeFull(attestations, { ...place, flow, countsFor: summary.countsFor }),
      attestations.findLatest(inFlow),
    ]);
    if (repetition !== undefined) return repetition;
    if (!flowExists) return 'flow not found';
    if (isFull) return 'too many names';
    const begun = { org, flow, name: trail, createdAt, report: fromAttestation(document) };
    await trails.insertMissing({ ...begun, counts: countsForAny(summary.countsFor) });
    await search.add(begun, words);
    await attestations.insert({
      ...{ ...summary, documentJson, scopes, evidence },
      ...follow(before, createdAt),
      requestKey: request,
    });
    await judgeEvidence(transaction, { org, ...judged }, createdAt, context);
    await judgeReported(transaction, { org, flow, name: trail }, createdAt);
    return 'recorded';
  };
  return runJudgingTransaction(dependencies, org, work);
}

/** The place of an attestation in its flow, after the latest one. */
export function follow(
  latest: LatestAttestation | undefined,
  createdAt: number,
): Pick<NewAttestation, 'sequence' | 'isStepBack'> {
  return { sequence: (latest?.sequence ?? 0) + 1, isStepBack: latest !== undefined && createdAt < latest.createdAt };
}
