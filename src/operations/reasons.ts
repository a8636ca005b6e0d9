import { toResponseView } from '../contract/accepted-response.ts';
import { conforms } from '../contract/check.ts';
import { toArtifactState, type Verdict } from '../contract/compliance.ts';
import {
  describeFault,
  describeReason,
  maximumReasons,
  type Reason,
  reason as reasonSchema,
  sortReasons,
  toReasonState,
} from '../contract/reason.ts';
import { truncate } from '../runtime/truncate.ts';
import { evidenceMark } from './evidence-state.ts';
import { type Line, link, plain } from './report.ts';
import { summarizeList, withoutFullStop } from './sentences.ts';

/** The maximum length of a reason in words, in characters: a service may send texts of any length. */
const maximumLength = 500;

/** The maximum number of reasons in a sentence and in a conclusion. The report lists more. */
const maximumNamed = 5;

const maximumListed = 50;

const maximumSubjects = 3;

/** The reasons in an answer, the worst first. Entries that are not reasons are left out: other services may send any. */
export function readReasons(answered: readonly unknown[] = []): readonly Reason[] {
  const readable = answered.flatMap((entry) => {
    const view = toResponseView(reasonSchema, entry);
    return conforms(reasonSchema, view) && view.about !== '' && view.value !== '' ? [view] : [];
  });
  return sortReasons(readable).slice(0, maximumReasons);
}

/**
 * The reason for a verdict that an answer does not explain.
 *
 * @param info what the service says about it, as sentences
 */
export function unexplainedReason(
  about: string,
  verdict: Exclude<Verdict, 'compliant'>,
  info = '',
  page?: string,
): Reason {
  const words = withoutFullStop(info.trim());
  const value = words === '' ? `the service says ${toArtifactState(verdict)} and gives no reason` : words;
  return { state: toReasonState(verdict), about, value, ...(page === undefined ? {} : { html_url: page }) };
}

/**
 * A reason in words, on one line, without a full stop.
 *
 * @param subject what the reader knows that the reason is about, so that the words need not repeat it
 */
export function reasonWords(reason: Reason, subject?: string): string {
  const words = reason.about === subject ? describeFault(reason) : describeReason(reason);
  return withoutFullStop(truncate(words.replaceAll(/\s+/gu, ' ').trim(), maximumLength));
}

/** A verdict and the reasons for it, on one line: `NON-COMPLIANT: sonar: …; and 3 more`. */
export function summarizeReasons(verdict: string, reasons: readonly Reason[], subject?: string): string {
  if (reasons.length === 0) return verdict;
  const words = reasons.slice(0, maximumNamed).map((reason) => reasonWords(reason, subject));
  return `${verdict}: ${summarizeList(words, maximumNamed, { rest: Math.max(0, reasons.length - maximumNamed) })}`;
}

/**
 * A sentence with its reasons: one reason in the same line, several in a line each.
 *
 * @param more the sentences that follow
 */
export function concludeWithReasons(
  sentence: string,
  reasons: readonly Reason[],
  { subject, more = [] }: { readonly subject?: string | undefined; readonly more?: readonly string[] } = {},
): string {
  if (reasons.length <= 1) return [`${summarizeReasons(sentence, reasons, subject)}.`, ...more].join(' ');
  const words = reasons.slice(0, maximumNamed).map((reason) => reasonWords(reason, subject));
  const rest = reasons.length - words.length;
  return [`${sentence}:`, ...words, ...(rest === 0 ? [] : [`and ${rest} more`]), ...more].join('\n');
}

/** The reasons as a list with links, and how many more there are. */
export function toReasonLines(reasons: readonly Reason[]): { readonly lines: readonly Line[]; readonly more: number } {
  return {
    lines: reasons.slice(0, maximumListed).map(toLine),
    more: Math.max(0, reasons.length - maximumListed),
  };
}

function toLine(reason: Reason): Line {
  const { state, about, html_url: page } = reason;
  return [plain(`${evidenceMark(state)} `), link(about, page), plain(`: ${reasonWords(reason, about)}`)];
}

/** Something with reasons, such as an artifact. */
export interface ReasonedSubject {
  /** What its reasons call it, if they are about itself. */
  readonly name: string;
  /** What the report calls it. */
  readonly label: string;
  /** Digits that its reasons may repeat: what differs in nothing else is the same reason. */
  readonly digits: string;
  readonly reasons: readonly Reason[];
}

/** A reason and the subjects that have it; `about` is empty if the subjects themselves are what it is about. */
interface SharedReason {
  readonly reason: Reason;
  readonly labels: string[];
  readonly pages: Set<string>;
}

/** The reasons of several subjects, the worst first. Subjects with the same reason share one. */
export function mergeReasons(subjects: readonly ReasonedSubject[]): readonly Reason[] {
  const merged = new Map<string, SharedReason>();
  for (const subject of subjects) {
    for (const found of subject.reasons) {
      const { about, html_url: page = '', ...rest } = found;
      const isItself = about === subject.name || subject.name.endsWith(`/${about}`);
      const reason = { ...rest, about: isItself ? '' : about };
      const key = JSON.stringify(Object.entries(reason).toSorted()).replaceAll(subject.digits, '');
      const known: SharedReason = merged.get(key) ?? { reason, labels: [], pages: new Set() };
      known.labels.push(subject.label);
      known.pages.add(page);
      merged.set(key, known);
    }
  }
  return sortReasons(
    [...merged.values()].map(({ reason, labels, pages: [page = '', ...others] }) => {
      const named = summarizeList(labels, maximumSubjects, { separator: ', ' });
      return {
        ...reason,
        about: reason.about === '' ? named : `${reason.about} of ${named}`,
        // Several subjects have one page only if it is the page of the evidence that they share.
        ...(page === '' || others.length > 0 ? {} : { html_url: page }),
      };
    }),
  );
}
