import { worstVerdict, type Verdict } from '../../contract/compliance.ts';
import type { Failure } from '../../runtime/failure.ts';
import type { Looked } from './parse-verdict.ts';
import { standingIn, type EnvironmentView, type Standing } from './environment-standing.ts';
import type { Settled } from '../polling.ts';

/** What is known of the artifacts, and of the environment that they shall run in. */
export interface Findings {
  /** In the order in which they were wanted. */
  readonly looked: readonly Looked[];
  /** Undefined where no environment was asked about. */
  readonly environment: EnvironmentSighting | undefined;
}

/** An environment, and what was seen of it. */
export interface EnvironmentSighting {
  readonly name: string;
  readonly sighting: Settled<EnvironmentView>;
}

/** The verdict of an artifact: its own, or that of the environment it runs in where that is worse. */
export interface JudgedArtifact {
  readonly verdict: Verdict;
  /** Undefined where no environment was asked about, or nothing is known of it. */
  readonly standing: Standing | undefined;
}

/** Judges one artifact; undefined where it could not be looked up. */
export function judgeLooked(
  { sighting }: Looked,
  environment: EnvironmentSighting | undefined,
): JudgedArtifact | undefined {
  if (sighting.failure !== undefined) return undefined;
  const { artifact, verdict: own } = sighting.value;
  const view = environment?.sighting.value;
  const standing = view === undefined ? undefined : standingIn(view, artifact);
  const verdict = standing?.verdict === undefined ? own : (worstVerdict([own, standing.verdict]) ?? own);
  return { verdict, standing };
}

/**
 * The verdict of the whole, which is the worst of all; undefined where what could not be looked up may still be worse. Where
 * one is non-compliant, nothing is: then that decides, whatever else is not known.
 */
export function wholeVerdict({ looked, environment }: Findings): Verdict | undefined {
  const worst = worstVerdict(looked.flatMap((one) => judgeLooked(one, environment)?.verdict ?? []));
  return worst === 'non-compliant' || failuresOf({ looked, environment }).length === 0 ? worst : undefined;
}

/** The artifacts as a reader needs them: non-compliant ones, those that could not be judged, incomplete ones, and the rest. */
export function worstFirst({ looked, environment }: Findings): readonly Looked[] {
  const rank = (one: Looked): number => ranks.indexOf(judgeLooked(one, environment)?.verdict);
  return looked.toSorted((one, other) => rank(one) - rank(other));
}

const ranks: readonly (Verdict | undefined)[] = ['non-compliant', undefined, 'incomplete', 'compliant'];

/** Everything that could not be looked up. */
export function failuresOf({ looked, environment }: Findings): readonly Failure[] {
  const there = environment === undefined ? [] : [environment.sighting];
  return [...looked.map(({ sighting }) => sighting), ...there].flatMap(({ failure }) => failure ?? []);
}
