import { summarizeList, withoutFullStop } from '../sentences.ts';
import { worstFirst, type ArtifactJudgement, type Judgement } from './judge-artifacts.ts';

/** How many artifacts a clause names: the worst one. The report lists all. */
const maximumNamed = 1;

/** How many failures are named, because the runner keeps 4,096 characters of an annotation. */
const maximumFailures = 5;

/**
 * The conclusion about several artifacts: which are not compliant, which could not be judged, and why. It names the
 * worst and counts the others.
 */
export function concludeSeveral(judgement: Judgement, flow: string): string {
  const all = `${judgement.artifacts.length} artifacts in flow ${flow}`;
  const clauses = [nonCompliantClause(judgement), failureClause(judgement)].filter(({ count }) => count > 0);
  if (clauses.length === 0) return `All ${all} are COMPLIANT.`;
  return clauses.map(({ count, words }, at) => `${count}${at === 0 ? ` of ${all}` : ''} ${words}.`).join(' ');
}

/** What is said about so many artifacts. */
interface Clause {
  readonly count: number;
  readonly words: string;
}

function nonCompliantClause({ artifacts }: Judgement): Clause {
  const reasons = worstFirst(artifacts).flatMap(nonCompliantReason);
  return {
    count: reasons.length,
    words: `${reasons.length === 1 ? 'is' : 'are'} not compliant: ${summarizeList(reasons, maximumNamed)}`,
  };
}

function nonCompliantReason(one: ArtifactJudgement): readonly string[] {
  if (one.failure !== undefined || one.verdict === 'compliant') return [];
  return [`${one.title} is ${one.stateText}`];
}

function failureClause({ failureGroups }: Judgement): Clause {
  const words = failureGroups.map(
    ({ failure, names }) =>
      `${summarizeList(names, maximumNamed, { separator: ', ' })}: ${withoutFullStop(failure.message)}`,
  );
  const count = failureGroups.flatMap(({ names }) => names).length;
  const unnamed = failureGroups.slice(maximumFailures).flatMap(({ names }) => names).length;
  return { count, words: `could not be judged: ${summarizeList(words, maximumFailures, { rest: unnamed })}` };
}
