import { conforms } from '../check.ts';
import { severities } from '../names.ts';
import { type Static, strictObject, Type } from '../schema.ts';
import { lineText, longText } from '../text-fields.ts';
import { attestationDocument, count } from './attestation-fields.ts';
import { type AttestationJudgement, defineAttestationKind } from './attestation-kind.ts';
import { judgeUnreadableRule, readRule } from './step-rule.ts';

export type Severity = (typeof severities)[number];

/** A finding of a scanner (observed on the wire). */
const finding = strictObject({
  id: lineText(),
  message: longText(),
  locations: Type.Optional(
    Type.Array(
      strictObject({
        uri: lineText(),
        lines: Type.Optional(lineText({ description: 'For example `10` or `10-12`.' })),
      }),
    ),
  ),
  priority_score: Type.Optional(Type.Number()),
});

export type Finding = Static<typeof finding>;

const findings = Type.Optional(Type.Union([Type.Array(finding), Type.Null()]));

/** The findings of one run of a scanner (observed on the wire). It has no `critical`, so those count as high. */
const scanResult = strictObject({
  ...{ high_count: count, medium_count: count, low_count: count },
  ...{ high: findings, medium: findings, low: findings },
});

export type ScanResult = Static<typeof scanResult>;

/** The JSON part of a scan's attestation (observed on the wire). */
export const snykAttestation = attestationDocument({
  snyk_results: strictObject({
    schema_version: Type.Integer(),
    tool: strictObject({ name: lineText(), version: lineText() }),
    results: Type.Array(scanResult),
  }),
});

export type SnykAttestation = Static<typeof snykAttestation>;

/** The key of `user_data` with the counts of the step, including the critical findings, which the wire form lacks. */
export const severitiesDataKey = 'severities';

const severityCounts = strictObject({
  critical: count,
  high: count,
  medium: count,
  low: count,
  suppressed: count,
});

/** How many findings have each severity; suppressed ones are counted separately. */
export type SeverityCounts = Static<typeof severityCounts>;

/** The rule of a step that records a scan: the lowest severity that it fails on. */
const scanRule = strictObject({ fail_on: Type.Enum([...severities, 'none']) });

export type ScanRule = Static<typeof scanRule>;

/** What is known of the findings. */
export type KnownFindings = Omit<SeverityCounts, 'critical' | 'suppressed'> &
  Partial<Pick<SeverityCounts, 'critical' | 'suppressed'>>;

/**
 * Counts the findings of an attestation. Critical and suppressed ones are known only if the sender counted them, and its
 * counts agree with the results.
 */
export function countFindings({ snyk_results: { results }, user_data: data = {} }: SnykAttestation): KnownFindings {
  const sum = (severity: 'high' | 'medium' | 'low'): number =>
    results.reduce((total, result) => total + result[`${severity}_count`], 0);
  const counted = { high: sum('high'), medium: sum('medium'), low: sum('low') };
  const own = Object.hasOwn(data, severitiesDataKey) ? data[severitiesDataKey] : undefined;
  if (!conforms(severityCounts, own)) return counted;
  const { critical, high, medium, low } = own;
  const agrees = critical + high === counted.high && medium === counted.medium && low === counted.low;
  return agrees ? own : counted;
}

/** Judges a scan by the step's rule; without one, as the public client sends it, by any finding. */
function judge(attestation: SnykAttestation): AttestationJudgement {
  const rule = readRule(scanRule, attestation) ?? { fail_on: 'low' };
  if (rule === 'unreadable') return judgeUnreadableRule('the severities of findings');
  const found = countFindings(attestation);
  const faults = listFailing(found, rule.fail_on)
    .filter(([, number]) => number > 0)
    .map(([words, number]) => ({
      value: `${number} ${words} ${number === 1 ? 'finding' : 'findings'}`,
      limit: `none of severity ${rule.fail_on} or worse is allowed`,
    }));
  return { verdict: faults.length === 0 ? 'compliant' : 'non-compliant', reason: describeFindings(found), faults };
}

/** The numbers of findings that must be zero, with the words for their severity. */
function listFailing(found: KnownFindings, failOn: ScanRule['fail_on']): readonly (readonly [string, number])[] {
  // Any finding on record as high may be critical.
  if (failOn === 'critical' && found.critical === undefined) return [['high or critical', found.high]];
  const failing = failOn === 'none' ? [] : severities.slice(0, severities.indexOf(failOn) + 1);
  return failing.map((severity) => [severity, found[severity] ?? 0]);
}

/** `2 critical, 1 high, 0 medium and 4 low findings; 3 suppressed`. */
export function describeFindings({ critical, high, medium, low, suppressed = 0 }: KnownFindings): string {
  const first = critical === undefined ? '' : `${critical} critical, `;
  const apart = suppressed === 0 ? '' : `; ${suppressed} suppressed`;
  return `${first}${high} high, ${medium} medium and ${low} low findings${apart}`;
}

/** Findings of a scanner. The type is named after the vendor that the wire form comes from. */
export const snykKind = defineAttestationKind({
  name: 'snyk',
  operation: 'attest-scan',
  title: 'Attest findings of a scanner',
  document: snykAttestation,
  judge,
});
