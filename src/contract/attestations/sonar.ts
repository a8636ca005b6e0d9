import { verdictFromGateStatus } from '../compliance.ts';
import type { Fault } from '../reason.ts';
import { type Static, Type } from '../schema.ts';
import { addressText, lineText } from '../text-fields.ts';
import { attestationDocument } from './attestation-fields.ts';
import { type AttestationJudgement, defineAttestationKind } from './attestation-kind.ts';

/** One condition of a quality gate. Sonar omits the threshold or the value if there is none. */
export const sonarCondition = Type.Object({
  metric: lineText(),
  operator: Type.Optional(lineText()),
  errorThreshold: Type.Optional(lineText()),
  status: lineText(),
  value: Type.Optional(lineText({ description: 'The measured value, beyond the interface.' })),
});

export type SonarCondition = Static<typeof sonarCondition>;

/**
 * A Sonar analysis with its quality gate (interface, `sonar_results`): a subset of Sonar's webhook payload. Further
 * keys are allowed, because Sonar extends its payload.
 */
export const sonarResults = Type.Object({
  analysedAt: Type.Optional(lineText()),
  revision: Type.Optional(
    lineText({ description: 'The analysed commit as Sonar or the report names it; absent if neither does.' }),
  ),
  project: Type.Object({
    key: lineText(),
    name: Type.Optional(lineText()),
    url: Type.Optional(addressText()),
  }),
  qualityGate: Type.Object({
    name: Type.Optional(lineText()),
    status: lineText(),
    ignoredConditions: Type.Optional(
      Type.Boolean({
        description:
          'True if Sonar reported conditions on coverage and duplication as `OK` whatever their value, because fewer than 20 lines are new.',
      }),
    ),
    conditions: Type.Array(sonarCondition),
  }),
  serverUrl: Type.Optional(addressText()),
  taskId: Type.Optional(lineText()),
  status: Type.Optional(lineText({ description: "The background task's status." })),
  branch: Type.Optional(Type.Object({ name: Type.Optional(lineText()), type: Type.Optional(lineText()) })),
  pullRequest: Type.Optional(lineText()),
});

export type SonarResults = Static<typeof sonarResults>;

/** Explains `ignoredConditions` to readers who see conditions that are OK although their values miss the thresholds. */
export const ignoredConditionsNote =
  'Sonar ignored the conditions on coverage and duplication, because fewer than 20 lines are new: they are OK even if their values miss the thresholds.';

/** The JSON part of a Sonar attestation (interface, `data_json`). */
export const sonarAttestation = attestationDocument({ sonar_results: sonarResults });

/** Explains a green gate that proves nothing. */
export const noConditionsNote = 'The quality gate has no conditions, so nothing was checked.';

/**
 * The keys of `user_data` that say whether Sonar confirmed that it analysed the attested commit, and what confirmed it,
 * or why nothing did. The action sets them; the user's own data must not contain them.
 */
export const revisionKeys = {
  verified: 'revision_verified',
  confirmedBy: 'revision_confirmed_by',
  reason: 'revision_unverified_reason',
} as const;

export type SonarAttestation = Static<typeof sonarAttestation>;

/**
 * Judges a Sonar attestation by its quality gate. An unknown status is inconclusive, as is a gate that was not
 * computed: the evidence is then incomplete, never compliant.
 */
function judge({ sonar_results: { qualityGate } }: SonarAttestation): AttestationJudgement {
  const verdict = verdictFromGateStatus(qualityGate.status) ?? 'incomplete';
  const failed = qualityGate.conditions.filter((condition) => condition.status === 'ERROR').map(({ metric }) => metric);
  const because = failed.length === 0 ? '' : ` because of ${failed.join(', ')}`;
  const reason = `the quality gate is ${qualityGate.status}${because}`;
  return { verdict, reason, faults: verdict === 'compliant' ? [] : listFaults(qualityGate) };
}

/** The rule that the faults of an analysis name. */
const gateRule = 'quality gate';

function listFaults({ status, conditions }: SonarResults['qualityGate']): readonly Fault[] {
  const failed = conditions.filter((condition) => condition.status === 'ERROR');
  if (failed.length === 0) return [{ value: `the quality gate is ${status}` }];
  return failed.map((condition) => ({ rule: gateRule, ...describeFailedCondition(condition) }));
}

/** A failed condition in words: what was measured, and what is required. */
function describeFailedCondition(condition: SonarCondition): Pick<Fault, 'value' | 'limit'> {
  const { metric, value } = condition;
  const limit = describeLimit(condition);
  return {
    value: value === undefined ? `${metric} failed` : `${metric} is ${describeMeasure(metric, value)}`,
    ...(limit === undefined ? {} : { limit }),
  };
}

/**
 * What a condition requires: `at least 80 is required`; undefined without a threshold. A condition names the comparison
 * with which it fails, so `LT` of 80 requires at least 80.
 */
export function describeLimit({
  metric,
  operator = '',
  errorThreshold: threshold,
}: SonarCondition): string | undefined {
  if (threshold === undefined) return undefined;
  const measure = describeMeasure(metric, threshold);
  if (metric.endsWith('_rating')) return measure === 'A' ? 'A is required' : `${measure} or better is required`;
  if (['LT', 'LESS_THAN'].includes(operator)) return `at least ${measure} is required`;
  if (['GT', 'GREATER_THAN'].includes(operator)) return `at most ${measure} is allowed`;
  if (['EQ', 'EQUALS'].includes(operator)) return `${measure} is not allowed`;
  if (['NE', 'NOT_EQUALS'].includes(operator)) return `${measure} is required`;
  return `the threshold is ${measure}`;
}

/** A measure as Sonar's pages show it: ratings as letters, which its API gives as numbers from 1 (A) to 5 (E). */
export function describeMeasure(metric: string, text: string): string {
  return metric.endsWith('_rating') && /^[1-5](?:\.0)?$/u.test(text) ? ('ABCDE'[Number(text) - 1] ?? text) : text;
}

export const sonarKind = defineAttestationKind({
  name: 'sonar',
  operation: 'attest-sonar',
  number: 7,
  title: 'Attest Sonar scan',
  document: sonarAttestation,
  judge,
});

/** Operation 7: attest a Sonar scan. */
export const attestSonar = sonarKind.endpoint;
