import type { Failure } from '../../runtime/failure.ts';
import type { Looked } from './parse-verdict.ts';
import { describeArtifact, lastSeen, stateWords } from './artifact-facts.ts';
import { judgeLooked, worstFirst, type EnvironmentSighting, type Findings } from './judge-artifacts.ts';
import { summarizeList, asClause, withoutFullStop } from '../sentence.ts';

/** How many are named: the one that decides. The report has a row and a line for each of the others. */
const mostNamed = 1;

/**
 * How many reasons of artifacts that could not be judged are told: a service's message is never lost to an annotation, of
 * whose text the runner keeps 4,096 characters.
 */
const mostCauses = 5;

/**
 * What is to be said of several artifacts, as sentences: which are not compliant, and which could not be judged and why, in
 * the words of the service or of the way to it. The worst is named, and the others are counted.
 */
export function concludeSeveral(findings: Findings, flow: string): string {
  const all = `${findings.looked.length} artifacts in flow ${flow}`;
  const clauses = [badClause(findings), unjudgedClause(findings)].filter(({ count }) => count > 0);
  if (clauses.length === 0) return `All ${all} are COMPLIANT.`;
  return clauses.map(({ count, words }, at) => `${count}${at === 0 ? ` of ${all}` : ''} ${words}.`).join(' ');
}

/** What is said of so many artifacts. */
interface Clause {
  readonly count: number;
  readonly words: string;
}

function badClause({ looked, environment }: Findings): Clause {
  const bad = worstFirst({ looked, environment }).flatMap((one) => badWords(one, environment));
  return {
    count: bad.length,
    words: `${bad.length === 1 ? 'is' : 'are'} not compliant: ${summarizeList(bad, mostNamed)}`,
  };
}

/** Why one that could be judged is not compliant; empty where it is. */
function badWords(one: Looked, environment: EnvironmentSighting | undefined): readonly string[] {
  const judged = judgeLooked(one, environment);
  if (judged === undefined || judged.verdict === 'compliant' || one.sighting.failure !== undefined) return [];
  const { standing } = judged;
  const there =
    standing?.verdict === undefined || standing.verdict === 'compliant' ? '' : `, and ${asClause(standing.words)}`;
  return [`${describeArtifact(one)} is ${stateWords(one.sighting.value.artifact)}${there}`];
}

function unjudgedClause({ looked }: Findings): Clause {
  const causes = causesOf(looked);
  const words = causes.map(
    ({ failure, names }) =>
      `${summarizeList(names, mostNamed, { separator: ', ' })}: ${withoutFullStop(failure.message)}`,
  );
  const unnamed = causes.slice(mostCauses).flatMap(({ names }) => names).length;
  return {
    count: causes.flatMap(({ names }) => names).length,
    words: `could not be judged: ${summarizeList(words, mostCauses, { rest: unnamed })}`,
  };
}

/** A failure, and the artifacts that it kept from being judged. */
interface Cause {
  /** That of the first of them. */
  readonly failure: Failure;
  readonly names: readonly string[];
}

/** The failures, once each: where nothing but the artifact is another one, the words of the first say it of all. */
export function causesOf(looked: readonly Looked[]): readonly Cause[] {
  const causes = new Map<string, Cause>();
  for (const one of looked) {
    const { failure } = one.sighting;
    if (failure === undefined) continue;
    const key = failure.message.replaceAll(one.asked.fingerprint, '');
    const known = causes.get(key) ?? { failure, names: [] };
    causes.set(key, { ...known, names: [...known.names, nameOf(one)] });
  }
  return [...causes.values()];
}

function nameOf(one: Looked): string {
  const last = lastSeen(one);
  return `${describeArtifact(one)}${last === undefined ? '' : ` (the last verdict that was seen: ${last})`}`;
}
