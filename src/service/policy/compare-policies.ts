import type { JudgementReason } from '../attestation/reasons.ts';
import { JudgementBudget, type KnownMatches } from '../requirement/judgement-budget.ts';
import type { RuleResult } from './compile-policy.ts';
import {
  type AttachedPolicy,
  type EnvironmentJudgement,
  evaluatePolicies,
  judgeEnvironment,
  listPolicyReasons,
} from './judge-environment.ts';
import type { JudgedArtifact } from './judged-artifact.ts';

/** An artifact whose verdict another version of a policy would change, now or later. */
export interface ArtifactChange {
  readonly artifact: JudgedArtifact;
  readonly compliantBefore: boolean;
  readonly compliantAfter: boolean;
  /** The day in UTC from which the other version breaks it, unless the present one does so from the same day. */
  readonly failsFrom: string | undefined;
  /** Why it does not comply: with the other version now, else later, else with the present one. */
  readonly reasons: readonly JudgementReason[];
}

/** What another version of a policy would change in one environment. */
export interface PolicyComparison {
  readonly before: EnvironmentJudgement;
  readonly after: EnvironmentJudgement;
  readonly artifactCount: number;
  /** How many artifacts change their verdict now. None are compared if one of the judgements was stopped. */
  readonly changed: number;
  /** How many artifacts would comply now, but fail from a later day on. */
  readonly failingLater: number;
  /** Those that would not comply, those that fail later, and the others; at most as many as asked for. */
  readonly changes: readonly ArtifactChange[];
  readonly changesLeftOut: number;
  /** The work of both judgements, in their steps. */
  readonly steps: number;
}

/** Which environment is judged, and by what. */
export interface ComparisonInput {
  /** The name of the policy that has another version. */
  readonly policy: string;
  readonly present: readonly AttachedPolicy[];
  readonly proposed: readonly AttachedPolicy[];
  /** Returns the same artifacts each time, and counts the work of reading them. */
  readonly readArtifacts: (budget: JudgementBudget) => readonly JudgedArtifact[];
  /** In Unix seconds. */
  readonly at: number;
  readonly matches: KnownMatches;
  readonly maximumChanges: number;
}

/** What a judgement found out about artifacts. */
class NotedResults {
  readonly broken = new Set<JudgedArtifact>();
  readonly failsFrom = new Map<JudgedArtifact, string>();

  note(artifact: JudgedArtifact, result: RuleResult, isCompared: boolean): void {
    if (result.outcome === 'broken') this.broken.add(artifact);
    if (result.outcome !== 'announced' || !isCompared) return;
    const known = this.failsFrom.get(artifact);
    // Days sort as texts.
    if (known === undefined || result.from < known) this.failsFrom.set(artifact, result.from);
  }
}

/**
 * Judges an environment with two versions of a policy, at the same time.
 *
 * @throws MissingMatchesError as `judgeEnvironment` does
 */
export function comparePolicies(input: ComparisonInput): PolicyComparison {
  const { policy, present, proposed, readArtifacts, at, matches } = input;
  let artifacts: readonly JudgedArtifact[] = [];
  let steps = 0;
  const judge = (policies: readonly AttachedPolicy[]): readonly [EnvironmentJudgement, NotedResults] => {
    const budget = new JudgementBudget(matches);
    const noted = new NotedResults();
    const read = (): readonly JudgedArtifact[] => (artifacts = readArtifacts(budget));
    const judgement = judgeEnvironment(policies, read, at, budget, (name, artifact, result) => {
      noted.note(artifact, result, name === policy);
    });
    steps += budget.spent;
    return [judgement, noted];
  };
  const [before, old] = judge(present);
  const [after, next] = judge(proposed);
  const isComparable = before.unjudgeable === undefined && after.unjudgeable === undefined;
  const all = (isComparable ? artifacts : []).map((artifact) => {
    const [compliantBefore, compliantAfter] = [!old.broken.has(artifact), !next.broken.has(artifact)];
    const day = compliantAfter ? next.failsFrom.get(artifact) : undefined;
    const failsFrom = day === old.failsFrom.get(artifact) ? undefined : day;
    return { artifact, compliantBefore, compliantAfter, failsFrom, isChanged: compliantBefore !== compliantAfter };
  });
  const toRank = ({ compliantAfter, failsFrom }: (typeof all)[number]): number =>
    compliantAfter ? (failsFrom === undefined ? 2 : 1) : 0;
  const changes = all
    .filter(({ isChanged, failsFrom }) => isChanged || failsFrom !== undefined)
    .toSorted((one, other) => toRank(one) - toRank(other));
  const explain = ({ artifact, compliantAfter, failsFrom }: (typeof all)[number]): readonly JudgementReason[] => {
    const isLater = compliantAfter && failsFrom !== undefined;
    const policies = compliantAfter && !isLater ? present : proposed;
    const evaluations = evaluatePolicies(policies, artifact, at, new JudgementBudget(matches));
    if (!isLater) return listPolicyReasons(evaluations, artifact);
    const compared = evaluations.filter((evaluation) => evaluation.policy === policy);
    return listPolicyReasons(compared, artifact, 'announced');
  };
  const shown = changes.slice(0, input.maximumChanges);
  return {
    before,
    after,
    artifactCount: artifacts.length,
    changed: changes.filter(({ isChanged }) => isChanged).length,
    failingLater: changes.filter(({ failsFrom }) => failsFrom !== undefined).length,
    changes: shown.map((change) => ({ ...change, reasons: explain(change) })),
    changesLeftOut: changes.length - shown.length,
    steps,
  };
}
