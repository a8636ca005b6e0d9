import type { Verdict } from './compliance.ts';
import { type Static, tolerant, Type } from './schema.ts';

/** How a reason keeps something from being compliant, the worst first. */
export const reasonStates = ['failed', 'incomplete', 'missing'] as const;

/** One reason why something is not compliant. A client shows what it can read, and judges by the verdict. */
export const reason = Type.Object({
  state: Type.Enum([...reasonStates], {
    description:
      '`failed`: it does not comply. `incomplete`: it proves nothing either way. `missing`: it is not on record.',
  }),
  about: Type.String({ description: 'The attestation or the artifact: `sonar`, `web.unit`, `sonar of web.tgz`.' }),
  rule: Type.Optional(
    Type.String({
      description:
        'What requires it: `quality gate`, `template of the flow`, `policy strict`. Absent: the evidence itself.',
    }),
  ),
  value: Type.String({ description: 'What was found, without a full stop: `new_coverage is 61.2`, `not recorded`.' }),
  limit: Type.Optional(
    Type.String({ description: 'What is required, without a full stop: `at least 80 is required`.' }),
  ),
  description: Type.Optional(Type.String({ description: "The sender's own description of the evidence." })),
  html_url: Type.Optional(
    Type.String({ description: 'The page of the evidence, of the trail that lacks it, or of the member environment.' }),
  ),
});

export type Reason = Static<typeof reason>;

/**
 * The reasons in a response: failed before incomplete before missing; empty if it is compliant. A client takes any list,
 * and shows the entries that it can read.
 */
export const reasons = tolerant(Type.Array(reason), Type.Array(Type.Unknown()));

/** The maximum length of a name in an id, in characters. An artifact has the name of a file, which can be long. */
const maximumAnchoredLength = 100;

/**
 * The id of the row on a trail's page that shows the subject of a reason; links to the row have it as their fragment. It
 * has no parentheses, which would end a link in Markdown.
 */
export function evidenceAnchor(about: string): string {
  const encoded = encodeURIComponent(about.slice(0, maximumAnchoredLength).toWellFormed());
  return `evidence-${encoded.replaceAll('(', '%28').replaceAll(')', '%29')}`;
}

/** What is wrong with a piece of evidence: a reason without its subject. */
export type Fault = Pick<Reason, 'rule' | 'value' | 'limit'>;

/** The maximum number of reasons in a response; if there are more, the last one counts the others. */
export const maximumReasons = 100;

/** A reason in words, without a full stop: `sonar: new_coverage is 61.2; at least 80 is required (quality gate)`. */
export function describeReason({ about, ...fault }: Omit<Reason, 'state' | 'html_url'>): string {
  return `${about}: ${describeFault(fault)}`;
}

/** The same without its subject. */
export function describeFault({
  rule,
  value,
  limit,
  description,
}: Omit<Reason, 'state' | 'html_url' | 'about'>): string {
  const words = [value, ...(limit === undefined ? [] : [limit])].join('; ');
  const explained = description === undefined || description === '' ? words : `${words}: ${description}`;
  return rule === undefined ? explained : `${explained} (${rule})`;
}

/** The state of the reasons for a verdict; a compliant one has none. */
export function toReasonState(verdict: Exclude<Verdict, 'compliant'>): Reason['state'] {
  return verdict === 'non-compliant' ? 'failed' : 'incomplete';
}

/** The verdict that reasons lead to; compliant without any. */
export function verdictFromReasons(given: readonly Pick<Reason, 'state'>[]): Verdict {
  if (given.length === 0) return 'compliant';
  return given.some(({ state }) => state === 'failed') ? 'non-compliant' : 'incomplete';
}

/** The reasons for the verdict on a piece of evidence. */
export function toReasons(
  about: string,
  { verdict, faults }: { readonly verdict: Verdict; readonly faults: readonly Fault[] },
  more: Pick<Reason, 'description' | 'html_url'> = {},
): readonly Reason[] {
  if (verdict === 'compliant') return [];
  const state = toReasonState(verdict);
  return faults.map((fault) => ({ state, about, ...fault, ...more }));
}

/** The worst first; reasons of the same state keep their order. */
export function sortReasons<Sorted extends Pick<Reason, 'state'>>(unsorted: readonly Sorted[]): readonly Sorted[] {
  return unsorted.toSorted((one, other) => reasonStates.indexOf(one.state) - reasonStates.indexOf(other.state));
}
