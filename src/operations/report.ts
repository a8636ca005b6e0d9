import type { Reason } from '../contract/reason.ts';

/**
 * What an operation reports, as data. The step renders it in the log, the summary and the comment, and escapes all
 * texts there; here they are unescaped, including those from other services.
 */

/** A text, optionally with a link. */
export interface Text {
  readonly text: string;
  /** Shown as a link if it is an http or https URL. */
  readonly href?: string | undefined;
  /** True for a fixed-width font: fingerprints, SHAs, paths, names. */
  readonly code?: boolean;
}

export interface Fact {
  readonly label: string;
  readonly value: Text;
}

/** A table; each row has one cell per column. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Text[])[];
  /** How many more rows the answer has. */
  readonly more?: number;
}

/** What a verdict is based on. */
export interface Evidence {
  /** What a gate judged, or the artifacts that were reported. Absent for an attestation. */
  readonly table?: Table;
  /** What the table omits, or what the step recorded, one sentence each. */
  readonly notes: readonly string[];
}

/** Texts that are shown one after the other on one line. */
export type Line = readonly Text[];

/** A text that readers may want to copy. */
export interface Copy {
  readonly label: string;
  readonly text: string;
}

export interface Report {
  /** The heading: `Artifact web.tar.gz`. */
  readonly subject: string;
  /** Why the verdict is not compliant, the worst first. Shown first, and wherever the verdict is shown. */
  readonly reasons?: readonly Reason[];
  /** Shown next, because it shows what the verdict is based on. */
  readonly evidence?: Evidence;
  readonly facts: readonly Fact[];
  readonly tables?: readonly Table[];
  /** The full fingerprints that tables abbreviate. */
  readonly copies?: readonly Copy[];
}

export function plain(text: string): Text {
  return { text };
}

/** A text in a fixed-width font. */
export function code(text: string): Text {
  return { text, code: true };
}

export function link(text: string, href: string | undefined): Text {
  return { text, href };
}

/** A list of one fact; empty if its text is missing or empty. */
export function fact(label: string, text: string | undefined | null, href?: string | null): readonly Fact[] {
  return text === undefined || text === null || text === ''
    ? []
    : [{ label, value: { text, href: href ?? undefined } }];
}

/** A list of one table with the first rows of a list, whose length is in the title; empty if the list is empty. */
export function listTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly Text[])[],
  count = rows.length,
): readonly Table[] {
  if (count === 0) return [];
  const table = { title: `${title} (${count})`, columns, rows };
  const more = count - rows.length;
  return [more > 0 ? { ...table, more } : table];
}

/** Compliance as a table cell. */
export function complianceLabel(compliant: boolean | null | undefined): string {
  if (compliant === undefined || compliant === null) return '⏳ unknown';
  return compliant ? '✅ yes' : '❌ no';
}

/** The first 12 digits of a fingerprint or SHA. */
export function abbreviate(digits: string): string {
  return digits.slice(0, 12);
}
