import { findFirstOverrideEnd } from '../attestation/facts.ts';
import { describeReasons, type JudgementReason, orderReasons } from '../attestation/reasons.ts';
import {
  BudgetExceededError,
  JudgementBudget,
  MissingMatchesError,
  type PatternUse,
} from '../requirement/judgement-budget.ts';
import { type CompiledPolicy, evaluateRules, type RuleEvaluation, type RuleResult } from './compile-policy.ts';
import { type JudgedArtifact, nameArtifact } from './judged-artifact.ts';
import { describeRule } from './provenance-requirement.ts';

export interface AttachedPolicy {
  readonly name: string;
  readonly version: number;
  readonly compiled: CompiledPolicy;
}

/** A reason why an artifact does not comply with an attached policy. */
export interface PolicyBreach {
  readonly policy: string;
  readonly name: string;
  readonly fingerprint: string;
  /** Its `rule` is the policy, or begins with it. */
  readonly reason: JudgementReason;
}

/** The judgement of an environment's artifacts by its policies. */
export interface EnvironmentJudgement {
  /** Null for an environment without policies. */
  readonly compliant: boolean | null;
  /** The policies and their versions that were applied. */
  readonly policies: readonly { readonly name: string; readonly version: number }[];
  /** The first breaches; see `maximumBreaches`. */
  readonly breaches: readonly PolicyBreach[];
  /** The first day in UTC on which a rule is enforced that is broken today; undefined if there is none. */
  readonly brokenFrom?: string | undefined;
  /** The last day in UTC on which all overrides of its evidence count; undefined if none of them ends. */
  readonly overriddenUntil?: string | undefined;
  /** How many breaches there are beyond those in `breaches`. */
  readonly furtherBreaches?: number | undefined;
  /** Why the policies could not be applied, without a full stop. The environment is then not compliant. */
  readonly unjudgeable?: string | undefined;
  /** The fingerprints that comply only because of an exception, or because they are allowed in the environment. */
  readonly allowed: readonly string[];
}

export type NoteResult = (policy: string, artifact: JudgedArtifact, result: RuleResult) => void;

/** The judgement of an environment without policies. */
export const unjudged: EnvironmentJudgement = { compliant: null, policies: [], breaches: [], allowed: [] };

/** After this many breaches, a judgement only counts the others, because every snapshot stores a judgement. */
export const maximumBreaches = 1000;

/** The same for the total length of the names in breaches. */
const maximumBreachCharacters = 512 * 1024;

/**
 * Judges the artifacts of an environment by its policies (public documentation of such a service, Policy). Every
 * artifact must satisfy every rule:
 *
 * - `provenance`: the artifact was reported to a flow.
 * - `trail-compliance`: it was reported to at least one flow, and is COMPLIANT in every flow that it was reported to.
 * - `attestations`: it has at least one attestation of the type and name in its flows, and all of these are compliant.
 *   With `if`, only flows for which the condition holds count.
 *
 * An exception exempts an artifact from a requirement; from `trail-compliance`, in the flows for which the exception
 * holds. An artifact that is allowed in the environment is exempt from everything.
 *
 * An environment that cannot be judged within `judgementLimits` is not compliant.
 *
 * @param readArtifacts returns the artifacts, and counts the work of reading them
 * @param at the time of the judgement, in Unix seconds
 * @param note gets the result of each rule for each artifact, also of a judgement that is stopped later
 * @throws MissingMatchesError if so much pattern matching is needed that it has to be done in portions first
 *   (`prepareMatches`)
 */
export function judgeEnvironment(
  policies: readonly AttachedPolicy[],
  readArtifacts: (budget: JudgementBudget) => readonly JudgedArtifact[],
  at: number,
  budget = new JudgementBudget(),
  note: NoteResult = () => undefined,
): EnvironmentJudgement {
  const known = judgeWithoutArtifacts(policies);
  if (known !== undefined) return known;
  let artifacts: readonly JudgedArtifact[] = [];
  try {
    artifacts = readArtifacts(budget);
    return { policies: toVersions(policies), ...applyPolicies(policies, artifacts, { at, budget, note }) };
  } catch (error) {
    return toUnjudgeable(policies, describeStop(error, policies, artifacts));
  }
}

/**
 * Why a judgement was stopped, without a full stop.
 *
 * @throws MissingMatchesError with everything that the judgement needs; the error, if it did not stop a judgement
 */
function describeStop(
  error: unknown,
  policies: readonly AttachedPolicy[],
  artifacts: readonly JudgedArtifact[],
): string {
  if (error instanceof MissingMatchesError) throw new MissingMatchesError(patternUses(policies, artifacts));
  if (!(error instanceof BudgetExceededError)) throw error;
  return `judging it was stopped: ${error.message}, the limit of one judgement`;
}

export interface PolicyEvaluation {
  readonly policy: string;
  readonly version: number;
  readonly compliant: boolean;
  readonly rules: readonly RuleEvaluation[];
  /** Why the policy could not be applied, without a full stop. The artifact does not comply with it then. */
  readonly unjudgeable?: string | undefined;
}

/**
 * Judges an artifact by policies, rule by rule: by the same rules as `judgeEnvironment`, whether or not it runs anywhere.
 *
 * @throws MissingMatchesError as `judgeEnvironment` does
 */
export function evaluatePolicies(
  policies: readonly AttachedPolicy[],
  artifact: JudgedArtifact,
  at: number,
  budget = new JudgementBudget(),
): readonly PolicyEvaluation[] {
  return policies.map(({ name: policy, version, compiled }) => {
    const refuse = (unjudgeable: string): PolicyEvaluation => ({
      ...{ policy, version, compliant: false },
      rules: [],
      unjudgeable,
    });
    if (compiled.fault !== undefined) return refuse(compiled.fault);
    try {
      const rules = evaluateRules(compiled, artifact, budget, at);
      return { policy, version, compliant: rules.every(({ result }) => result.outcome !== 'broken'), rules };
    } catch (error) {
      return refuse(describeStop(error, policies, [artifact]));
    }
  });
}

/** The judgement if it does not depend on the artifacts, so that they need not be read; else undefined. */
export function judgeWithoutArtifacts(policies: readonly AttachedPolicy[]): EnvironmentJudgement | undefined {
  if (policies.length === 0) return unjudged;
  const [fault] = policies.flatMap(({ name, compiled }) =>
    compiled.fault === undefined ? [] : [`the policy ${name} cannot be applied: ${compiled.fault}`],
  );
  return fault === undefined ? undefined : toUnjudgeable(policies, fault);
}

function toUnjudgeable(policies: readonly AttachedPolicy[], reason: string): EnvironmentJudgement {
  return { compliant: false, policies: toVersions(policies), breaches: [], unjudgeable: reason, allowed: [] };
}

function toVersions(policies: readonly AttachedPolicy[]): EnvironmentJudgement['policies'] {
  return policies.map(({ name, version }) => ({ name, version }));
}

function* patternUses(policies: readonly AttachedPolicy[], artifacts: readonly JudgedArtifact[]): Iterable<PatternUse> {
  for (const { compiled } of policies) for (const artifact of artifacts) yield* compiled.patternUses(artifact);
}

function toPolicyReason(reason: JudgementReason, policy: string): JudgementReason {
  const { rule } = reason;
  return { ...reason, rule: `${describeRule(policy)}${rule === undefined ? '' : `, ${rule}`}` };
}

/**
 * Why an artifact does not comply with policies, the worst first; empty if it complies.
 *
 * @param outcome `announced` for the rules that it will break later
 */
export function listPolicyReasons(
  evaluations: readonly PolicyEvaluation[],
  { name }: Pick<JudgedArtifact, 'name'>,
  outcome: 'broken' | 'announced' = 'broken',
): readonly JudgementReason[] {
  const reasons = evaluations.flatMap(({ policy, rules, unjudgeable }) => {
    const broken = rules.flatMap(({ result }) =>
      'reasons' in result && result.outcome === outcome ? result.reasons : [],
    );
    const stopped: readonly JudgementReason[] =
      unjudgeable === undefined ? [] : [{ state: 'failed', about: name, value: unjudgeable }];
    return [...stopped, ...broken].map((reason) => toPolicyReason(reason, policy));
  });
  return orderReasons(reasons);
}

/** What breaks rules that are not enforced yet, a sentence for each rule. */
export function describeAnnounced(evaluations: readonly PolicyEvaluation[]): readonly string[] {
  return evaluations.flatMap(({ policy, rules }) =>
    rules.flatMap(({ result }) => {
      if (result.outcome !== 'announced') return [];
      const reasons = describeReasons(result.reasons.map((reason) => toPolicyReason(reason, policy)));
      return [`From ${result.from} on, it would not comply: ${reasons}`];
    }),
  );
}

/**
 * Why an environment is not compliant, the worst first: what its artifacts lack, or why it could not be judged. A reason
 * about evidence names the artifact, too.
 */
export function listEnvironmentReasons(
  { breaches, furtherBreaches, unjudgeable }: EnvironmentJudgement,
  environment: string,
): readonly JudgementReason[] {
  if (unjudgeable !== undefined) return [{ state: 'failed', about: environment, value: unjudgeable }];
  const reasons = breaches.map(({ name, reason }) => nameArtifact(reason, name));
  const further: readonly JudgementReason[] =
    furtherBreaches === undefined
      ? []
      : [{ state: 'failed', about: `${furtherBreaches} more`, value: 'not kept with the snapshot' }];
  return [...orderReasons(reasons), ...further];
}

function applyPolicies(
  policies: readonly AttachedPolicy[],
  artifacts: readonly JudgedArtifact[],
  { at, budget, note }: { readonly at: number; readonly budget: JudgementBudget; readonly note: NoteResult },
): Omit<EnvironmentJudgement, 'policies'> {
  const breaches: PolicyBreach[] = [];
  let brokenFrom: string | undefined;
  let further = 0;
  let characters = 0;
  const broken = new Set<string>();
  const excepted = new Set<string>();
  const take = (policy: string, artifact: JudgedArtifact, result: RuleResult): void => {
    note(policy, artifact, result);
    const { name, fingerprint } = artifact;
    if (result.outcome === 'excepted') excepted.add(fingerprint);
    // Days sort as texts.
    if (result.outcome === 'announced' && (brokenFrom === undefined || result.from < brokenFrom))
      brokenFrom = result.from;
    if (result.outcome !== 'broken') return;
    broken.add(fingerprint);
    if (breaches.length < maximumBreaches && characters < maximumBreachCharacters) {
      characters += name.length;
      const reasons = result.reasons.map((reason) => toPolicyReason(reason, policy));
      breaches.push(...reasons.map((reason) => ({ policy, name, fingerprint, reason })));
    } else further += result.reasons.length;
  };
  for (const { name: policy, compiled } of policies) {
    for (const artifact of artifacts) {
      for (const { result } of evaluateRules(compiled, artifact, budget, at)) take(policy, artifact, result);
    }
  }
  const overriddenUntil = findFirstOverrideEnd(
    artifacts.flatMap(({ flows }) => flows.flatMap(({ evidence }) => evidence)),
  );
  return {
    compliant: broken.size === 0,
    breaches,
    ...(brokenFrom === undefined ? {} : { brokenFrom }),
    ...(overriddenUntil === undefined ? {} : { overriddenUntil }),
    ...(further === 0 ? {} : { furtherBreaches: further }),
    allowed: [...excepted].filter((fingerprint) => !broken.has(fingerprint)).sort(),
  };
}
