import { describeReason, type Fault, maximumReasons, type Reason, sortReasons } from '../../contract/reason.ts';
import { truncate } from '../../runtime/truncate.ts';

/** Where a reason comes from, within an organization. */
export interface ReasonSource {
  /** The trail of the evidence, and the attestation, if there is one. */
  readonly evidence?: EvidenceReference;
  /** The member of a logical environment. */
  readonly member?: string;
  /** True for a sentence of an earlier version, which may name any flow. */
  readonly isUnclear?: boolean;
}

interface EvidenceReference {
  readonly flow: string;
  readonly trail: string;
  /** The id of the attestation; absent if it is missing. */
  readonly attestation?: string;
  /** What the trail's page calls it if it is missing. The subject of the reason may also name its artifact and flow. */
  readonly row?: string;
}

/** A reason as the rules find it. Its source decides what it links to, and who may read it. */
export interface JudgementReason extends Omit<Reason, 'html_url'> {
  readonly source?: ReasonSource;
}

/**
 * The same reasons, with the trail as the source of those that have none.
 *
 * @param artifact the artifact that a list template judges; its name is in the rows of the trail's page, not in reasons
 */
export function locateReasons(
  reasons: readonly JudgementReason[],
  evidence: Pick<EvidenceReference, 'flow' | 'trail'>,
  artifact?: string,
): readonly JudgementReason[] {
  const toRow = (about: string): string => (artifact === undefined ? about : `${artifact}.${about}`);
  return reasons.map((reason) =>
    reason.source === undefined
      ? { ...reason, source: { evidence: { ...evidence, row: toRow(reason.about) } } }
      : reason,
  );
}

/** What is wrong with a recorded attestation, with the description that its sender gave. */
export type RecordedFault = Fault & Pick<Reason, 'description'>;

/** Reasons are stored with attestations and snapshots, so their texts are limited; in characters. */
const maximumTextLength = 300;

const maximumFaults = 20;

const maximumDescribed = 20;

/** Limits the faults of an attestation to what is stored, and adds the sender's description to each. */
export function toRecordedFaults(faults: readonly Fault[], description: string | undefined): readonly RecordedFault[] {
  return limitList(faults, maximumFaults, (count) => ({ value: `${count} more` })).map((fault) => ({
    ...limitTexts(fault),
    ...(description === undefined || description === ''
      ? {}
      : { description: truncate(description, maximumTextLength) }),
  }));
}

function limitTexts({ rule, value, limit }: Fault): Fault {
  return {
    ...(rule === undefined ? {} : { rule: truncate(rule, maximumTextLength) }),
    value: truncate(value, maximumTextLength),
    ...(limit === undefined ? {} : { limit: truncate(limit, maximumTextLength) }),
  };
}

/** The first entries of a list; if it is longer, the last one stands for the others. */
function limitList<Entry>(list: readonly Entry[], maximum: number, toRest: (count: number) => Entry): readonly Entry[] {
  if (list.length <= maximum) return list;
  return [...list.slice(0, maximum - 1), toRest(list.length - maximum + 1)];
}

/**
 * Sorts reasons for a response: the worst first, then by subject. If several rules find the same about the same
 * evidence, it is one reason.
 */
export function orderReasons(reasons: readonly JudgementReason[]): readonly JudgementReason[] {
  const toKey = ({ source, ...reason }: JudgementReason): string =>
    JSON.stringify([describeReason(reason), source?.evidence, source?.member]);
  const ordered = sortReasons(reasons.toSorted((one, other) => compareTexts(one.about, other.about)));
  // The first of equal reasons has the worst state.
  return [...Map.groupBy(ordered, toKey).values()].flatMap(([first]) => first ?? []);
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** As many reasons as a response has; if there are more, the last one counts the others. */
export function limitReasons(reasons: readonly JudgementReason[]): readonly JudgementReason[] {
  return limitList(reasons, maximumReasons, (count) => ({
    state: reasons[maximumReasons - 1]?.state ?? 'failed',
    about: `${count} more`,
    value: 'not listed here',
  }));
}

/** Words as a sentence: those of a sender may have a full stop already. */
export function toSentence(words: string): string {
  return /[.!?]$/u.test(words) ? words : `${words}.`;
}

/** Reasons as sentences: `sonar: new_coverage is 61.2; at least 80 is required (quality gate).` */
export function describeReasons(reasons: readonly JudgementReason[]): string {
  const shown = reasons.slice(0, maximumDescribed).map((reason) => toSentence(describeReason(reason)));
  const rest = reasons.length - shown.length;
  return [...shown, ...(rest > 0 ? [`And ${rest} more.`] : [])].join(' ');
}
