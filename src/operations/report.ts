/**
 * What an operation has to say, as data: how it looks in the log and in the job summary is decided where those are
 * written. Texts are as they came, foreign ones included; escaping is done once, there.
 */

/** A text, perhaps with a link. */
export interface Text {
  readonly text: string;
  /** Shown as a link where it is an http or https URL. */
  readonly href?: string | undefined;
  /** A fingerprint, SHA, path or name that is shown in a fixed-width font. */
  readonly code?: boolean;
}

/** One line: what it is, and its value. */
export interface Fact {
  readonly label: string;
  readonly value: Text;
}

/** A table. Every row has one cell for each column. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Text[])[];
  /** How many rows there are beside these; they are in the answer only. */
  readonly more?: number;
}

/** What is required of each artifact or trail, and what there is of it. */
export interface Evidence {
  /** A row for each artifact or trail, a column for each required attestation. */
  readonly table: Table;
  /** What the table leaves out, a sentence each. */
  readonly notes: readonly string[];
  /** What is missing or failed and why, the worst first, a line each. */
  readonly problems: readonly Line[];
  /** How many problems there are beside these. */
  readonly moreProblems: number;
}

/** Texts that stand one after the other, as they are. */
export type Line = readonly Text[];

/** A text that is shown in full where it can be copied. */
export interface Copy {
  readonly label: string;
  readonly text: string;
}

/** What an operation has to say. */
export interface Report {
  /** What the step was about, for the heading: `Artifact web.tar.gz`. */
  readonly subject: string;
  /** Shown before everything else, because it decides. */
  readonly evidence?: Evidence;
  readonly facts: readonly Fact[];
  readonly tables: readonly Table[];
  /** The whole fingerprints of what the tables name by their beginning. */
  readonly copies?: readonly Copy[];
}

/** A plain text. */
export function plain(text: string): Text {
  return { text };
}

/** A text in a fixed-width font. */
export function code(text: string): Text {
  return { text, code: true };
}

/** A text that leads somewhere. */
export function link(text: string, href: string | undefined): Text {
  return { text, href };
}

/** A fact, where its text is known. */
export function fact(label: string, text: string | undefined | null, href?: string | null): readonly Fact[] {
  return text === undefined || text === null || text === ''
    ? []
    : [{ label, value: { text, href: href ?? undefined } }];
}

/** Whether something complies, in a table of many. */
export function complianceLabel(compliant: boolean | null | undefined): string {
  if (compliant === undefined || compliant === null) return '⏳ unknown';
  return compliant ? '✅ yes' : '❌ no';
}

/** The beginning of a long text: the whole stands in the answer. */
export function truncate(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** The beginning of a fingerprint or SHA that people recognise it by. */
export function abbreviate(digits: string): string {
  return digits.slice(0, 12);
}
