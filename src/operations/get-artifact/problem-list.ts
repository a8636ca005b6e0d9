import { causesOf } from './conclusion.ts';
import { stateWords } from './artifact-facts.ts';
import type { Subject } from './evidence-items.ts';
import { evidenceMark, toEvidenceState, type EvidenceState } from '../evidence-state.ts';
import { truncate, link, plain, type Line, type Text } from '../report.ts';
import { summarizeList, withoutFullStop } from '../sentence.ts';

/** The most problems that are listed; the others are counted. */
export const mostProblems = 50;

/** The most artifacts that a line names. */
const mostNamed = 5;

/** The most characters of a reason. */
const longestReason = 300;

/** What comes first. */
const severity: readonly EvidenceState[] = ['failed', 'incomplete', 'unknown', 'missing'];

/** One thing that is wrong with one attestation, and the artifacts of which that is so. */
interface Problem {
  readonly name: string;
  readonly state: EvidenceState;
  readonly reason: string | undefined;
  readonly artifacts: Text[];
}

/**
 * What keeps artifacts from being compliant, a line each: attestations that failed or are missing, then artifacts that could
 * not be judged, or that are not compliant for another reason. The same problem of several artifacts is one line.
 */
export function evidenceProblems(subjects: readonly Subject[], names: readonly string[]): readonly Line[] {
  const bad = subjects.filter(({ judged }) => judged !== undefined && judged.verdict !== 'compliant');
  const position = new Map(names.map((name, index) => [name, index]));
  const problems = problemsOf(bad).toSorted(
    (one, other) =>
      severity.indexOf(one.state) - severity.indexOf(other.state) ||
      (position.get(one.name) ?? 0) - (position.get(other.name) ?? 0),
  );
  const isOne = subjects.length === 1;
  return [
    ...problems.map((problem) => lineOf(problem, isOne)),
    ...unjudgedLines(subjects),
    ...bad.flatMap((subject) => otherLines(subject, isOne)),
  ];
}

function problemsOf(subjects: readonly Subject[]): readonly Problem[] {
  const problems = new Map<string, Problem>();
  for (const { label, pieces } of subjects) {
    for (const [name, { state, reason, href }] of pieces) {
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
function lineOf({ name, state, reason, artifacts }: Problem, isOne: boolean): Line {
  const mark = `${evidenceMark(state)} `;
  const why = `: ${withoutFullStop(truncate(reason ?? reasons[state], longestReason))}`;
  if (isOne) return [plain(mark), link(name, artifacts[0]?.href), plain(why)];
  const named = artifacts
    .slice(0, mostNamed)
    .flatMap((artifact, index) => (index === 0 ? [artifact] : [plain(', '), artifact]));
  const rest = artifacts.length - mostNamed;
  return [plain(`${mark}${name} of `), ...named, plain(`${rest > 0 ? `, and ${rest} more` : ''}${why}`)];
}

const reasons: Readonly<Record<EvidenceState, string>> = {
  failed: 'not compliant',
  incomplete: 'not judged yet',
  unknown: 'its state is unknown',
  missing: 'required, and nothing is recorded',
  compliant: 'compliant',
};

function unjudgedLines(subjects: readonly Subject[]): readonly Line[] {
  return causesOf(subjects.map(({ looked }) => looked)).map(({ failure, names }) => {
    const message = withoutFullStop(truncate(failure.message, longestReason));
    return [plain(`⛔ ${summarizeList(names, mostNamed, { separator: ', ' })} could not be judged: ${message}`)];
  });
}

/** What the evidence does not show: a state without a cause in it, and the environment. */
function otherLines({ looked, label, judged, pieces }: Subject, isOne: boolean): readonly Line[] {
  const { value } = looked.sighting;
  if (value === undefined || judged === undefined) return [];
  const isExplained = value.verdict === 'compliant' || [...pieces.values()].some(({ state }) => state !== 'compliant');
  const { standing } = judged;
  const isBadThere = standing?.verdict !== undefined && standing.verdict !== 'compliant';
  const line = (verdict: Parameters<typeof toEvidenceState>[0], words: string): Line => [
    plain(`${evidenceMark(toEvidenceState(verdict))} `),
    ...(isOne ? [] : [link(label, value.artifact.html_url), plain(': ')]),
    plain(withoutFullStop(truncate(words, longestReason))),
  ];
  return [
    ...(isExplained ? [] : [line(value.verdict, stateWords(value.artifact))]),
    ...(isBadThere ? [line(standing.verdict, standing.words)] : []),
  ];
}
