import type { SonarAttestation } from '../../contract/attestation.ts';
import { maximumEvidenceNames } from '../../contract/limits.ts';
import { evidenceName, toAttestationScopes } from '../domain/binding.ts';
import { newIdentifier } from '../domain/identifier.ts';
import type { Attachment, Attestation } from '../domain/records.ts';
import { judgeSonar } from '../domain/sonar.ts';
import type { ReceivedFile } from '../storage/attachments.ts';
import { judgeEvidence } from './judging/judge-evidence.ts';
import { runJudgingTransaction } from './judging/judging-transaction.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';
import { unixSeconds } from '../../runtime/clock.ts';

/** A Sonar scan to attest. */
export interface SonarAttestationCommand {
  readonly org: string;
  readonly flow: string;
  readonly trail: string;
  /** The owner of the key it was sent with (`actorName`). */
  readonly reportedBy: string;
  readonly document: SonarAttestation;
  /** What comes with it; kept only if the attestation can be recorded. */
  readonly file?: FileToAttach | undefined;
}

/** A file that has arrived and is not yet kept. */
export interface FileToAttach {
  /** Its name at the sender. */
  readonly filename: string;
  readonly content: Pick<ReceivedFile, 'digest' | 'size' | 'keep'>;
}

/** What came of recording an attestation: the last means that what it is about has `maximumEvidenceNames` of others. */
export type RecordAttestationResult = 'recorded' | 'flow not found' | 'too many names';

/** Operation 7: attests a Sonar scan. An artifact that it names by its fingerprint must have been reported to the trail. */
export async function attestSonar(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now' | 'randomBytes'>,
  { file, ...command }: SonarAttestationCommand,
): Promise<RecordAttestationResult | 'artifact not found'> {
  const { org, flow, trail, document } = command;
  const { artifact_fingerprint: fingerprint } = document;
  const obstacle = await dependencies.storage.read(async ({ flows, artifacts }) => {
    if (!(await flows.exists(org, flow))) return 'flow not found';
    if (fingerprint === undefined || (await artifacts.exists({ org, flow, trail }, fingerprint))) return undefined;
    return 'artifact not found';
  });
  if (obstacle !== undefined) return obstacle;
  const attachment = await keep(file);
  return recordAttestation(dependencies, {
    ...command,
    id: newIdentifier(dependencies),
    name: document.attestation_name,
    type: 'sonar',
    ...judgeSonar(document.sonar_results),
    createdAt: unixSeconds(dependencies.now()),
    attachment,
  });
}

/** Keeps the content first: a record never names a file that a crash could lose. */
async function keep(file: FileToAttach | undefined): Promise<Attachment | undefined> {
  if (file === undefined) return undefined;
  const { filename, content } = file;
  await content.keep();
  return { filename, digest: content.digest, size: content.size };
}

/** Records an attestation as it is, and judges anew where what it is about runs. Its trail begins with it if it is the first. */
export function recordAttestation(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging'>,
  attestation: Attestation,
): Promise<RecordAttestationResult> {
  const { document, ...summary } = attestation;
  const { org, flow, trail, name, createdAt } = summary;
  const documentJson = JSON.stringify(document);
  const { artifact_fingerprint, target_artifacts, git_commit_info } = document;
  const subject = { trail, attestation_name: name, artifact_fingerprint, target_artifacts };
  const scopes = toAttestationScopes({ ...subject, git_commit: git_commit_info?.sha1 });
  const evidence = evidenceName(name);
  const judged = artifact_fingerprint === undefined ? { flow, trail } : { fingerprint: artifact_fingerprint };
  return runJudgingTransaction(dependencies, async (transaction, context) => {
    const { flows, trails, attestations } = transaction;
    if (!(await flows.exists(org, flow))) return 'flow not found';
    if (await attestations.isAnyScopeFull({ org, flow }, scopes, evidence, maximumEvidenceNames)) {
      return 'too many names';
    }
    await trails.insertMissing({ org, flow, name: trail, createdAt });
    const before = await attestations.findLatest({ org, flow });
    await attestations.insert({
      ...{ ...summary, documentJson, scopes, evidence },
      sequence: before === undefined ? 1 : before.sequence + 1,
      isStepBack: before !== undefined && createdAt < before.createdAt,
    });
    await judgeEvidence(transaction, { org, ...judged }, createdAt, context);
    return 'recorded';
  });
}

/** Finds an attestation. */
export function findAttestation(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, flow, trail, id }: Pick<Attestation, 'org' | 'flow' | 'trail' | 'id'>,
): Promise<Attestation | undefined> {
  return storage.read(({ attestations }) => attestations.find(org, flow, trail, id));
}
