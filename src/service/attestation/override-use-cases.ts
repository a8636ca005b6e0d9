import type { AttestationOverride } from '../../contract/attestation-override.ts';
import { maximumEvidenceNames } from '../../contract/limits.ts';
import { toDay, unixSeconds } from '../../runtime/clock.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { Attribution } from '../account/access.ts';
import type { CountsFor } from '../account/audience.ts';
import type { Recorded } from '../login/recorded.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import { newIdentifier } from '../platform/identifier.ts';
import { type JudgingContext, runJudgingTransaction } from '../platform/judging/judging.ts';
import { judgeEvidence } from '../platform/judging/snapshot-updates.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { adminRecorder } from '../requirement/recorder.ts';
import { judgeReported } from '../trail/trail-verdict-use-cases.ts';
import type { Attestation, AttestationSummary } from './attestation.ts';
import { follow, maximumReasonLength } from './attestation-use-cases.ts';
import { listEffectiveEvidence } from './effective-evidence-use-cases.ts';
import {
  evidenceName,
  listScopeTargets,
  listTargetArtifacts,
  type Scope,
  toAttestationScopes,
  toTargetScopes,
} from './evidence-scope.ts';
import { addOverride } from './facts.ts';
import { toRecordedFaults } from './reasons.ts';

export interface OverrideCommand extends Attribution {
  readonly org: string;
  readonly flow: string;
  readonly trail: string;
  /** Whether an admin overrides it: then it counts whatever requirements say of recorders. */
  readonly isAdmin: boolean;
  readonly override: Recorded<AttestationOverride>;
}

type OverrideResult =
  | 'overridden'
  | 'flow not found'
  | 'already ended'
  | 'nothing to override'
  | 'too many names'
  | { readonly actualType: string };

/** In characters, in the audit log. */
const maximumShownReason = 1000;

/**
 * Records a copy of the attestation that counts, with another verdict. Like any new evidence, it replaces the original,
 * and is replaced by the next one. If it has an end, the original counts again afterwards, or what that has replaced if it
 * has an end, too. It counts for no more environments than the original and the caller do.
 */
export function overrideAttestation(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now' | 'randomBytes'>,
  { org, flow, trail, reportedBy: by, countsFor: ofCaller, recorders, isAdmin, override }: OverrideCommand,
  request?: KeyedRequest<OverrideResult>,
): Promise<OnceResult<OverrideResult>> {
  const {
    attestation_name: name,
    artifact_fingerprint: fingerprint,
    reason,
    new_compliance_status: isCompliant,
    until,
  } = override;
  const at = unixSeconds(dependencies.now());
  const id = newIdentifier(dependencies);
  const verdict = isCompliant ? 'compliant' : 'non-compliant';
  const [ending, endingWords] = until === undefined ? [{}, ''] : [{ until }, ` until ${until}`];
  const words = truncate(`overridden by ${by} as ${verdict}${endingWords}: ${reason}`, maximumReasonLength);
  const work = async (transaction: WriteTransaction, context: JudgingContext): Promise<OverrideResult> => {
    const { flows, attestations, auditLog } = transaction;
    const inFlow = { org, flow };
    if (!(await flows.exists(org, flow))) return 'flow not found';
    if (until !== undefined && until < toDay(at)) return 'already ended';
    const current = await listEffectiveEvidence(transaction, { ...inFlow, at }, toPossibleScopes(trail, override));
    const latest = findLatest([...current.values()].flat(), { trail, name, ofCaller });
    const original = latest === undefined ? undefined : await attestations.findById(org, latest.id);
    if (original === undefined) return 'nothing to override';
    if (original.type !== override.original_attestation_type) return { actualType: original.type };
    const scopes = [...current].flatMap(([scope, found]) => (found.some((one) => one.id === original.id) ? scope : []));
    const evidence = evidenceName(original.name);
    const { name: ownName, document } = limitSubject(original, scopes);
    const countsFor = ofCaller ?? original.countsFor;
    const place = { scopes, evidence, countsFor, maximumNames: maximumEvidenceNames };
    if (await attestations.isAnyScopeFull(inFlow, place)) return 'too many names';
    const wasCompliant = original.verdict === 'compliant';
    const marker = { attestation_id: original.id, was_compliant: wasCompliant, by, reason, ...ending };
    await attestations.insert({
      ...{ ...original, id, verdict, reason: words, createdAt: at, reportedBy: by, countsFor, scopes, evidence },
      name: ownName,
      recorders: isAdmin ? [{ id: adminRecorder }, ...recorders] : recorders,
      // The page of the original has its file.
      attachment: undefined,
      faults: isCompliant ? [] : toRecordedFaults([{ value: words }], undefined),
      facts: addOverride(original, by, until),
      documentJson: JSON.stringify({ ...document, override: { ...marker, sent: override } }),
      ...follow(await attestations.findLatest(inFlow), at),
    });
    const details = {
      trail,
      attestation: name,
      verdict,
      original: original.id,
      reason: truncate(reason, maximumShownReason),
      ...ending,
    };
    await auditLog.append({ org, type: 'attestation_overridden', at, actor: by, subject: `flow ${flow}`, details });
    const judged = fingerprint === undefined ? { flow, trail } : { fingerprint };
    await judgeEvidence(transaction, { org, ...judged }, at, context);
    await judgeReported(transaction, { org, flow, name: trail }, at);
    return 'overridden';
  };
  return runJudgingTransaction(dependencies, org, carryOutOnce(dependencies, request, work));
}

/** The name and the document of a copy that counts only for scopes: it must not look as if it replaced the others. */
function limitSubject(
  { name, document }: Attestation,
  scopes: readonly Scope[],
): Pick<Attestation, 'name' | 'document'> {
  const targets = listScopeTargets(scopes);
  // The scopes of an artifact with a fingerprint, and of a trail, have no targets, whatever the name begins with.
  if ([0, listTargetArtifacts(document).length].includes(targets.length)) return { name, document };
  const evidence = evidenceName(name);
  return { name: evidence, document: { ...document, attestation_name: evidence, target_artifacts: [...targets] } };
}

/** Where the attestation may count: for artifacts of the template, also if it names no commit. */
function toPossibleScopes(trail: string, override: AttestationOverride): readonly Scope[] {
  const { attestation_name, artifact_fingerprint, target_artifacts, git_commit_info: commit } = override;
  const targets = artifact_fingerprint === undefined ? listTargetArtifacts(override) : [];
  if (targets.length > 0) return targets.flatMap((target) => toTargetScopes(trail, target, commit?.sha1));
  return toAttestationScopes({ trail, attestation_name, artifact_fingerprint, target_artifacts });
}

/**
 * The latest attestation of the name that the caller's evidence would replace. One that counts for all environments goes
 * first, so that a run whose evidence does not count cannot get in the way.
 */
function findLatest(
  current: readonly AttestationSummary[],
  { trail, name, ofCaller }: { readonly trail: string; readonly name: string; readonly ofCaller: CountsFor },
): AttestationSummary | undefined {
  const rank = ({ countsFor }: AttestationSummary): number => Number(countsFor === undefined);
  return current
    .filter((one) => one.trail === trail && evidenceName(one.name) === evidenceName(name))
    .filter(
      ({ countsFor }) =>
        ofCaller === undefined || countsFor === undefined || JSON.stringify(countsFor) === JSON.stringify(ofCaller),
    )
    .toSorted((one, other) => rank(one) - rank(other) || one.sequence - other.sequence)
    .at(-1);
}
