import { truncate } from '../../runtime/truncate.ts';
import { evidenceMark, toEvidenceState, type EvidenceState } from '../evidence-state.ts';
import { link, plain, type Line, type Text } from '../report.ts';
import { summarizeList, withoutFullStop } from '../sentences.ts';
import type { ArtifactEvidence } from './artifact-evidence.ts';
import type { FailureGroup } from './judge-artifacts.ts';

/** How many problems are listed at most; the others are counted. */
export const maximumProblems = 50;

/** How many artifacts a line names at most. */
const maximumNamed = 5;

/** The maximum length of a reason, in characters. */
const maximumReasonLength = 300;

/** The order of the list. */
const severity: readonly EvidenceState[] = ['failed', 'incomplete', 'unknown', 'missing'];

/** A problem with one attestation, and the artifacts that have it. */
interface Problem {
  readonly name: string;
  readonly state: EvidenceState;
  readonly reason: string | undefined;
  readonly artifacts: Text[];
}

/**
 * Why artifacts are not compliant, one line per problem: failed or missing attestations, then artifacts that could not
 * be judged, then other reasons. The same problem of several artifacts is one line.
 */
export function listProblems(
  collected: readonly ArtifactEvidence[],
  names: readonly string[],
  failureGroups: readonly FailureGroup[],
): readonly Line[] {
  const bad = collected.filter(({ judged }) => judged.failure === undefined && judged.verdict !== 'compliant');
  const position = new Map(names.map((name, index) => [name, index]));
  const problems = collectProblems(bad).toSorted(
    (one, other) =>
      severity.indexOf(one.state) - severity.indexOf(other.state) ||
      (position.get(one.name) ?? 0) - (position.get(other.name) ?? 0),
  );
  const isOne = collected.length === 1;
  return [
    ...problems.map((problem) => problemLine(problem, isOne)),
    ...failureGroups.map(failureLine),
    ...bad.flatMap((evidence) => unexplainedState(evidence, isOne)),
  ];
}

function collectProblems(bad: readonly ArtifactEvidence[]): readonly Problem[] {
  const problems = new Map<string, Problem>();
  for (const { label, items } of bad) {
    for (const [name, { state, reason, href }] of items) {
      if (state === 'compliant') continue;
      const key = JSON.stringify([name, state, reason]);
      const problem = problems.get(key) ?? { name, state, reason, artifacts: [] };
      problem.artifacts.push(link(label, href));
      problems.set(key, problem);
    }
  }
  return [...problems.values()];
}

/** `❌ sonar of web.tgz, api.tgz, and 3 more: the quality gate is ERROR`. */
function problemLine({ name, state, reason, artifacts }: Problem, isOne: boolean): Line {
  const mark = `${evidenceMark(state)} `;
  const why = `: ${withoutFullStop(truncate(reason ?? reasons[state], maximumReasonLength))}`;
  if (isOne) return [plain(mark), link(name, artifacts[0]?.href), plain(why)];
  const named = artifacts
    .slice(0, maximumNamed)
    .flatMap((artifact, index) => (index === 0 ? [artifact] : [plain(', '), artifact]));
  const rest = artifacts.length - maximumNamed;
  return [plain(`${mark}${name} of `), ...named, plain(`${rest > 0 ? `, and ${rest} more` : ''}${why}`)];
}

const reasons: Readonly<Record<EvidenceState, string>> = {
  failed: 'not compliant',
  incomplete: 'not judged yet',
  unknown: 'its state is unknown',
  missing: 'required, but not recorded',
  compliant: 'compliant',
};

function failureLine({ failure, names }: FailureGroup): Line {
  const message = withoutFullStop(truncate(failure.message, maximumReasonLength));
  return [plain(`⛔ ${summarizeList(names, maximumNamed, { separator: ', ' })} could not be judged: ${message}`)];
}

/** A state that no failed or missing attestation explains. */
function unexplainedState({ judged, label, items }: ArtifactEvidence, isOne: boolean): readonly Line[] {
  if (judged.failure !== undefined || [...items.values()].some(({ state }) => state !== 'compliant')) return [];
  const { artifact, verdict, stateText } = judged;
  return [
    [
      plain(`${evidenceMark(toEvidenceState(verdict))} `),
      ...(isOne ? [] : [link(label, artifact.html_url), plain(': ')]),
      plain(withoutFullStop(truncate(stateText, maximumReasonLength))),
    ],
  ];
}
