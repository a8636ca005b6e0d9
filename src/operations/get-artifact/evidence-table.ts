import { evidenceLabel, evidenceMark, toEvidenceState } from '../evidence-state.ts';
import { type JudgedSubject, worstFirst } from '../judged-subjects.ts';
import { abbreviate, code, type Evidence, link, plain, type Text } from '../report.ts';
import { summarizeList } from '../sentences.ts';
import { type ArtifactEvidence, listEvidence } from './artifact-evidence.ts';
import { artifactCommit } from './artifact-facts.ts';
import type { ArtifactAnswer } from './lookup.ts';

/** How many attestations have a column at most. */
const maximumColumns = 10;

/** How many attestations a note names at most. */
const maximumNames = 10;

interface Row extends ArtifactEvidence {
  readonly subject: JudgedSubject<ArtifactAnswer>;
}

/**
 * Required and recorded attestations: one row per artifact, the worst first. If there are many attestations, those that
 * are compliant for every artifact have no column and are counted in a note.
 */
export function createEvidence(subjects: readonly JudgedSubject<ArtifactAnswer>[]): Evidence {
  const rows = worstFirst(subjects).map(toRow);
  const columns = chooseColumns(rows);
  const isCut = columns.shown.length < columns.all.length;
  const isOne = rows.length === 1;
  return {
    table: {
      title: 'Evidence',
      columns: [
        'Artifact',
        'Fingerprint',
        'State',
        ...(isOne ? [] : ['Commit']),
        ...columns.shown,
        ...(isCut ? ['Required'] : []),
      ],
      rows: rows.map((row): readonly Text[] => [
        ...leadingCells(row),
        ...(isOne ? [] : [commitCell(row)]),
        ...columns.shown.map((name) => plain(attestationCell(row, name))),
        ...(isCut ? [plain(requiredCell(row))] : []),
      ]),
    },
    notes: notesOn(columns),
  };
}

function toRow(subject: JudgedSubject<ArtifactAnswer>): Row {
  const { artifact, reasons } = subject.settled.value ?? {};
  const evidence = artifact === undefined ? { required: undefined, items: new Map() } : listEvidence(artifact, reasons);
  return { ...evidence, subject };
}

/** The attestations of all artifacts: required ones in the template's order, then the others. */
interface Columns {
  readonly all: readonly string[];
  readonly shown: readonly string[];
  /** For how many artifacts each attestation is not compliant. */
  readonly problems: ReadonlyMap<string, number>;
  readonly required: ReadonlySet<string>;
}

function chooseColumns(rows: readonly ArtifactEvidence[]): Columns {
  const required = new Set(rows.flatMap((evidence) => [...(evidence.required ?? [])]));
  const all = [...new Set([...required, ...rows.flatMap(({ items }) => [...items.keys()])])];
  const problems = new Map<string, number>();
  for (const { items } of rows) {
    for (const [name, { state }] of items) {
      if (state !== 'compliant') problems.set(name, (problems.get(name) ?? 0) + 1);
    }
  }
  if (all.length <= maximumColumns) return { all, shown: all, problems, required };
  const worst = all
    .filter((name) => problems.has(name))
    .toSorted((one, other) => (problems.get(other) ?? 0) - (problems.get(one) ?? 0));
  const kept = new Set(worst.slice(0, maximumColumns));
  return { all, shown: all.filter((name) => kept.has(name)), problems, required };
}

function notesOn({ all, shown, problems, required }: Columns): readonly string[] {
  const isShown = new Set(shown);
  const hidden = all.filter((name) => !isShown.has(name));
  const compliant = hidden.filter((name) => !problems.has(name) && required.has(name));
  const extra = hidden.filter((name) => !problems.has(name) && !required.has(name));
  const others = hidden.filter((name) => problems.has(name));
  const list = (names: readonly string[]): string => summarizeList(names, maximumNames, { separator: ', ' });
  return [
    ...(compliant.length === 0
      ? []
      : [
          `${evidenceMark('compliant')} Required and compliant for every artifact (${compliant.length}): ${list(compliant)}.`,
        ]),
    ...(others.length === 0
      ? []
      : [`${others.length} more attestations are missing, failed or unknown: ${list(others)}.`]),
    ...(extra.length === 0 ? [] : [`➕ Not required, but recorded and compliant (${extra.length}): ${list(extra)}.`]),
  ];
}

function leadingCells({ subject: { label, digits, settled } }: Row): readonly Text[] {
  const fingerprint = code(abbreviate(digits));
  const { value } = settled;
  if (value === undefined) return [plain(label), fingerprint, plain('⛔ error')];
  const { artifact, verdict } = value;
  if (artifact === undefined) return [plain(label), fingerprint, plain(`${evidenceMark('missing')} not reported`)];
  const state = `${evidenceMark(toEvidenceState(verdict))} ${artifact.state ?? ''}`;
  return [link(label, artifact.html_url), fingerprint, plain(state)];
}

function commitCell({ subject }: Row): Text {
  const commit = artifactCommit(subject.settled.value?.artifact);
  return commit === undefined ? plain('') : { ...code(abbreviate(commit.sha)), href: commit.url };
}

/** Empty if the attestation is neither required nor recorded. */
function attestationCell({ subject, required, items }: Row, name: string): string {
  if (subject.settled.value?.artifact === undefined) return evidenceLabel('unknown');
  const item = items.get(name);
  if (item === undefined) return '';
  if (item.state === 'mismatched') return `${evidenceMark(item.state)} ${item.reason ?? ''}`;
  return evidenceLabel(item.state, required?.has(name) === false);
}

/** `28 of 30`. */
function requiredCell({ required, items }: Row): string {
  if (required === undefined) return '';
  const compliant = [...required].filter((name) => items.get(name)?.state === 'compliant');
  return `${compliant.length} of ${required.size}`;
}
