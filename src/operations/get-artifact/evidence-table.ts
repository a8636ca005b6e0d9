import { evidenceProblems, mostProblems } from './problem-list.ts';
import { knownFingerprint, runsThere } from './artifact-facts.ts';
import { evidenceSubjects, type Subject } from './evidence-items.ts';
import type { Findings } from './judge-artifacts.ts';
import { evidenceMark, toEvidenceState, evidenceLabel } from '../evidence-state.ts';
import { code, link, plain, abbreviate, type Evidence, type Text } from '../report.ts';
import { summarizeList } from '../sentence.ts';

/** The most attestations that have a column of their own. */
const mostColumns = 10;

/** The most names in a note. */
const mostNames = 10;

/**
 * What is required of artifacts and what there is of it: a row for each, the worst first. Of many attestations, those that
 * are compliant for every artifact have no column and are counted instead: a reader of a red gate looks for the others.
 */
export function artifactEvidence(findings: Findings): Evidence {
  const subjects = evidenceSubjects(findings);
  const columns = columnsOf(subjects);
  const isCut = columns.shown.length < columns.all.length;
  const isOne = subjects.length === 1;
  const { environment } = findings;
  const problems = evidenceProblems(subjects, columns.all);
  return {
    table: {
      title: 'Evidence',
      columns: [
        'Artifact',
        'Fingerprint',
        'State',
        ...(isOne ? [] : ['Commit']),
        ...(environment === undefined ? [] : [`Runs in ${environment.name}`]),
        ...columns.shown,
        ...(isCut ? ['Required'] : []),
      ],
      rows: subjects.map((subject): readonly Text[] => [
        ...headOf(subject),
        ...(isOne ? [] : [commitOf(subject)]),
        ...(environment === undefined ? [] : [plain(thereWords(subject))]),
        ...columns.shown.map((name) => plain(cellOf(subject, name))),
        ...(isCut ? [plain(requiredWords(subject))] : []),
      ]),
    },
    notes: notesOf(columns),
    problems: problems.slice(0, mostProblems),
    moreProblems: Math.max(0, problems.length - mostProblems),
  };
}

/** The attestations of all artifacts: required ones in the order of the template, then the others. */
interface Columns {
  readonly all: readonly string[];
  readonly shown: readonly string[];
  /** How many artifacts each is not compliant for. */
  readonly problems: ReadonlyMap<string, number>;
  readonly required: ReadonlySet<string>;
}

function columnsOf(subjects: readonly Subject[]): Columns {
  const required = new Set(subjects.flatMap((subject) => [...(subject.required ?? [])]));
  const all = [...new Set([...required, ...subjects.flatMap(({ pieces }) => [...pieces.keys()])])];
  const problems = new Map<string, number>();
  for (const { pieces } of subjects) {
    for (const [name, { state }] of pieces) {
      if (state !== 'compliant') problems.set(name, (problems.get(name) ?? 0) + 1);
    }
  }
  if (all.length <= mostColumns) return { all, shown: all, problems, required };
  const worst = all
    .filter((name) => problems.has(name))
    .toSorted((one, other) => (problems.get(other) ?? 0) - (problems.get(one) ?? 0));
  const kept = new Set(worst.slice(0, mostColumns));
  return { all, shown: all.filter((name) => kept.has(name)), problems, required };
}

function notesOf({ all, shown, problems, required }: Columns): readonly string[] {
  const isShown = new Set(shown);
  const hidden = all.filter((name) => !isShown.has(name));
  const compliant = hidden.filter((name) => !problems.has(name) && required.has(name));
  const extra = hidden.filter((name) => !problems.has(name) && !required.has(name));
  const others = hidden.filter((name) => problems.has(name));
  const list = (names: readonly string[]): string => summarizeList(names, mostNames, { separator: ', ' });
  return [
    ...(compliant.length === 0
      ? []
      : [
          `${evidenceMark('compliant')} Required and compliant for every artifact (${compliant.length}): ${list(compliant)}.`,
        ]),
    ...(others.length === 0
      ? []
      : [`${others.length} more attestations are missing, failed or unknown; the list names them: ${list(others)}.`]),
    ...(extra.length === 0 ? [] : [`➕ Recorded beside these, and compliant (${extra.length}): ${list(extra)}.`]),
  ];
}

function headOf({ looked, label }: Subject): readonly Text[] {
  const { failure, value } = looked.sighting;
  const fingerprint = code(abbreviate(knownFingerprint(looked)));
  if (failure !== undefined) return [plain(label), fingerprint, plain('⛔ error')];
  const mark = evidenceMark(toEvidenceState(value.verdict));
  return [link(label, value.artifact.html_url), fingerprint, plain(`${mark} ${value.artifact.state ?? ''}`)];
}

/** Whether it runs there, with a mark if that is what speaks against it. */
function thereWords({ judged }: Subject): string {
  const standing = judged?.standing;
  const words = runsThere(standing);
  return standing?.verdict === undefined || standing.verdict === 'compliant'
    ? words
    : `${evidenceMark(toEvidenceState(standing.verdict))} ${words}`;
}

function commitOf({ looked }: Subject): Text {
  const artifact = looked.sighting.value?.artifact;
  const sha = artifact?.git_commit ?? artifact?.git_commit_info?.sha1 ?? '';
  return sha === ''
    ? plain('')
    : { ...code(abbreviate(sha)), href: artifact?.commit_url ?? artifact?.git_commit_info?.url };
}

/** Empty where the attestation is neither required nor recorded. */
function cellOf({ judged, required, pieces }: Subject, name: string): string {
  if (judged === undefined) return evidenceLabel('unknown');
  const piece = pieces.get(name);
  return piece === undefined ? '' : evidenceLabel(piece.state, required?.has(name) === false);
}

/** `28 of 30`. */
function requiredWords({ required, pieces }: Subject): string {
  if (required === undefined) return '';
  const compliant = [...required].filter((name) => pieces.get(name)?.state === 'compliant');
  return `${compliant.length} of ${required.size}`;
}
