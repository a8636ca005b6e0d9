import type { FoundAttestation } from '../../contract/attestation-lookup.ts';
import type { AttestationJudgement } from '../../contract/attestations/attestation-kind.ts';
import { type Verdict, worstVerdict } from '../../contract/compliance.ts';
import { type Reason, toReasons, verdictFromReasons } from '../../contract/reason.ts';
import type { FailureText } from '../../runtime/failure.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { readReasons } from '../reasons.ts';

/** What is known of an attestation: by the rule of its kind, and by its record. */
export interface Assessment {
  /** What the rule of its kind says. */
  readonly judgement: AttestationJudgement;
  /** The worse of that and of the verdict on record. */
  readonly verdict: Verdict;
  /** Why it is not compliant: the reasons of the service, or else what the rule finds. */
  readonly reasons: readonly Reason[];
  /** What the user must know about the record. */
  readonly remarks: readonly FailureText[];
  /** The page of the attestation; undefined if the record is not known. */
  readonly attestationUrl: string | undefined;
}

/** The attestation that was recorded, as the step knows it. */
interface AttestationFacts {
  readonly name: string;
  readonly type: string;
  readonly description: string | undefined;
  /** Whether the record decides, because only the service knows the rules. */
  readonly isJudgedByService?: boolean;
}

/**
 * @param found what the rule of its kind says
 * @param record undefined if it is not known
 */
export async function assessAttestation(
  found: AttestationJudgement,
  record: FoundAttestation | undefined,
  facts: AttestationFacts,
): Promise<Assessment> {
  const judgement = facts.isJudgedByService === true && record !== undefined ? toJudgement(record, found) : found;
  const recorded = (record && recordedVerdict(record, judgement.verdict)) ?? judgement.verdict;
  const verdict = worstVerdict([judgement.verdict, recorded]) ?? judgement.verdict;
  const reasons = readReasons(record?.reasons);
  const isExplained = recorded === verdict && reasons.length > 0;
  return {
    judgement,
    verdict,
    reasons: isExplained ? reasons : explain({ ...judgement, verdict }, record, facts),
    remarks: [
      ...(recorded === judgement.verdict ? [] : [describeDifference(judgement.verdict, recorded)]),
      ...(await describeRequiredType(record, facts)),
    ],
    attestationUrl: record?.html_url ?? undefined,
  };
}

/** The verdict on record; undefined if it does not say. One that is not compliant may be incomplete. */
function recordedVerdict(
  { is_compliant: isCompliant, reasons: answered }: FoundAttestation,
  own: Verdict,
): Verdict | undefined {
  const reasons = readReasons(answered);
  if (isCompliant === true) return 'compliant';
  if (isCompliant !== false) return undefined;
  if (reasons.length === 0) return own === 'incomplete' ? own : 'non-compliant';
  return verdictFromReasons(reasons);
}

/** The judgement on record; the given one if the record has none. */
function toJudgement(record: FoundAttestation, unknown: AttestationJudgement): AttestationJudgement {
  const verdict = recordedVerdict(record, 'non-compliant');
  if (verdict === undefined) return unknown;
  const { status_info: reason = `it is recorded as ${verdict}` } = record;
  return { verdict, reason, faults: verdict === 'compliant' ? [] : [{ value: reason }] };
}

/** The reasons of a verdict that the service does not explain. */
function explain(
  { verdict, faults }: Pick<AttestationJudgement, 'verdict' | 'faults'>,
  record: FoundAttestation | undefined,
  { name, description }: AttestationFacts,
): readonly Reason[] {
  const found = faults.length > 0 ? faults : [{ value: record?.status_info ?? 'recorded as not compliant' }];
  const url = record?.html_url ?? undefined;
  return toReasons(name, { verdict, faults: found }, omitUndefined({ description, html_url: url }));
}

function describeDifference(own: Verdict, recorded: Verdict): FailureText {
  return {
    what: `The record says ${recorded}`,
    remedy: `This step finds it ${own} and goes by the worse of the two; later steps that read the record do not.`,
  };
}

async function describeRequiredType(
  record: FoundAttestation | undefined,
  { name, type }: AttestationFacts,
): Promise<readonly FailureText[]> {
  if (record?.required_type === undefined) return [];
  // Rarely needed.
  const { describeWrongType } = await import(/* webpackChunkName: 'attest' */ './wrong-type.ts');
  return [describeWrongType(name, record.attestation_type ?? type, record.required_type)];
}
