import { evidenceLabel, evidenceMark, toEvidenceState } from '../evidence-state.ts';
import { abbreviate, code, link, plain, type Evidence, type Text } from '../report.ts';
import { summarizeList } from '../sentences.ts';
import { collectEvidence, type ArtifactEvidence } from './artifact-evidence.ts';
import { artifactCommit } from './artifact-facts.ts';
import type { Judgement } from './judge-artifacts.ts';
import { listProblems, maximumProblems } from './problem-list.ts';

/** How many attestations have a column at most. */
const maximumColumns = 10;

/** How many attestations a note names at most. */
const maximumNames = 10;

/**
 * Required and recorded attestations: one row per artifact, the worst first. If there are many attestations, those that
 * are compliant for every artifact have no column and are counted in a note.
 */
export function createEvidence({ artifacts, failureGroups }: Judgement): Evidence {
  const collected = collectEvidence(artifacts);
  const columns = chooseColumns(collected);
  const isCut = columns.shown.length < columns.all.length;
  const isOne = collected.length === 1;
  const problems = listProblems(collected, columns.all, failureGroups);
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
      rows: collected.map((evidence): readonly Text[] => [
        ...leadingCells(evidence),
        ...(isOne ? [] : [commitCell(evidence)]),
        ...columns.shown.map((name) => plain(attestationCell(evidence, name))),
        ...(isCut ? [plain(requiredCell(evidence))] : []),
      ]),
    },
    notes: notesOn(columns),
    problems: problems.slice(0, maximumProblems),
    moreProblems: Math.max(0, problems.length - maximumProblems),
  };
}

/** The attestations of all artifacts: required ones in the template's order, then the others. */
interface Columns {
  readonly all: readonly string[];
  readonly shown: readonly string[];
  /** For how many artifacts each attestation is not compliant. */
  readonly problems: ReadonlyMap<string, number>;
  readonly required: ReadonlySet<string>;
}

function chooseColumns(collected: readonly ArtifactEvidence[]): Columns {
  const required = new Set(collected.flatMap((evidence) => [...(evidence.required ?? [])]));
  const all = [...new Set([...required, ...collected.flatMap(({ items }) => [...items.keys()])])];
  const problems = new Map<string, number>();
  for (const { items } of collected) {
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
      : [`${others.length} more attestations are missing, failed or unknown, and are listed below: ${list(others)}.`]),
    ...(extra.length === 0 ? [] : [`➕ Not required, but recorded and compliant (${extra.length}): ${list(extra)}.`]),
  ];
}

function leadingCells({ judged, label }: ArtifactEvidence): readonly Text[] {
  const fingerprint = code(abbreviate(judged.fingerprint));
  if (judged.failure !== undefined) return [plain(label), fingerprint, plain('⛔ error')];
  const { artifact, verdict } = judged;
  const mark = evidenceMark(toEvidenceState(verdict));
  return [link(label, artifact.html_url), fingerprint, plain(`${mark} ${artifact.state ?? ''}`)];
}

function commitCell({ judged }: ArtifactEvidence): Text {
  const commit = artifactCommit(judged.artifact);
  return commit === undefined ? plain('') : { ...code(abbreviate(commit.sha)), href: commit.url };
}

/** Empty if the attestation is neither required nor recorded. */
function attestationCell({ judged, required, items }: ArtifactEvidence, name: string): string {
  if (judged.failure !== undefined) return evidenceLabel('unknown');
  const item = items.get(name);
  return item === undefined ? '' : evidenceLabel(item.state, required?.has(name) === false);
}

/** `28 of 30`. */
function requiredCell({ required, items }: ArtifactEvidence): string {
  if (required === undefined) return '';
  const compliant = [...required].filter((name) => items.get(name)?.state === 'compliant');
  return `${compliant.length} of ${required.size}`;
}
