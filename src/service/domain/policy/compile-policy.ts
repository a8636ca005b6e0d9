import { evidenceName } from '../evidence-scope.ts';
import { holds, listMatches, resolveValue, type Condition, type ConditionSubject } from './condition.ts';
import { ConditionError } from './condition-tokens.ts';
import { parseCondition } from './parse-condition.ts';
import type { ArtifactInFlow, JudgedArtifact } from './judged-artifact.ts';
import type { AttestationRule, PolicyRules, Requirement } from './rules.ts';
import type { PatternUse, JudgementBudget } from './judgement-budget.ts';

/** The result of applying a rule to an artifact. */
export type RuleResult =
  | { readonly outcome: 'kept' }
  /** The rule would be broken without an exception. */
  | { readonly outcome: 'excepted' }
  | { readonly outcome: 'broken'; readonly reason: string };

type RuleCheck = (artifact: JudgedArtifact, budget: JudgementBudget) => RuleResult;

/** A policy that is ready to be applied. */
export interface CompiledPolicy {
  /** @throws BudgetExceededError, MissingMatchesError */
  readonly checks: readonly RuleCheck[];
  /** Every combination of pattern and text that the checks can match for the artifact. */
  readonly patternUses: (artifact: JudgedArtifact) => Iterable<PatternUse>;
  /** Why the policy cannot be applied: it was stored before a limit existed that it exceeds. */
  readonly fault?: string | undefined;
}

const kept: RuleResult = { outcome: 'kept' };
const excepted: RuleResult = { outcome: 'excepted' };
const broken = (reason: string): RuleResult => ({ outcome: 'broken', reason });

/** Parses the conditions of a policy once, for all artifacts and all later judgements. */
export function compilePolicy(rules: PolicyRules): CompiledPolicy {
  const conditions: Condition[] = [];
  const read = (text: string): Condition => {
    const condition = parseCondition(text);
    conditions.push(condition);
    return condition;
  };
  try {
    const checks = createChecks(rules, read);
    const uses = conditions.flatMap(listMatches);
    return {
      checks,
      *patternUses(artifact) {
        for (const subject of toSubjects(artifact)) {
          for (const { pattern, value } of uses) {
            const text = resolveValue(value, subject);
            if (typeof text === 'string') yield { pattern, text };
          }
        }
      },
    };
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return { checks: [], patternUses: () => [], fault: `one of its conditions ${error.message}` };
  }
}

type ReadCondition = (text: string) => Condition;

function createChecks(
  { artifacts: { provenance, attestations = [], ...others } = {} }: PolicyRules,
  read: ReadCondition,
): readonly RuleCheck[] {
  const trailCompliance = others['trail-compliance'];
  return [
    ...(provenance?.required === true ? [provenanceCheck(provenance, read)] : []),
    ...(trailCompliance?.required === true ? [trailComplianceCheck(trailCompliance, read)] : []),
    ...attestations.map((rule) => attestationCheck(rule, read)),
  ];
}

function provenanceCheck({ exceptions = [] }: Requirement, read: ReadCondition): RuleCheck {
  const conditions = exceptions.map((exception) => read(exception.if));
  return (artifact, budget) => {
    if (artifact.flows.length > 0) return kept;
    return anyHolds(conditions, toSubject(artifact), budget) ? excepted : broken('it was not reported to any flow');
  };
}

function trailComplianceCheck({ exceptions = [] }: Requirement, read: ReadCondition): RuleCheck {
  const conditions = exceptions.map((exception) => read(exception.if));
  return (artifact, budget) => {
    if (artifact.flows.length === 0) {
      return anyHolds(conditions, toSubject(artifact), budget)
        ? excepted
        : broken('it was not reported to any flow, so it has no compliant trail');
    }
    budget.spend(artifact.flows.length);
    const failing = artifact.flows.filter(({ state }) => state !== 'COMPLIANT');
    const first = failing.find((known) => !anyHolds(conditions, toSubject(artifact, known), budget));
    if (first === undefined) return failing.length === 0 ? kept : excepted;
    return broken(`it is ${first.state} in the flow ${first.flow}: ${first.info.replace(/\.$/, '')}`);
  };
}

function attestationCheck(
  { type, name = '*', if: text, must_be_compliant: strict = true }: AttestationRule,
  read: ReadCondition,
): RuleCheck {
  const condition = text === undefined ? undefined : read(text);
  const applies = (subject: ConditionSubject, budget: JudgementBudget): boolean =>
    condition === undefined || holds(condition, subject, budget);
  const what = `${type === '*' ? 'attestation' : `${type} attestation`}${name === '*' ? '' : ` ${name}`}`;
  const fits = (piece: ArtifactInFlow['evidence'][number]): boolean =>
    (type === '*' || piece.type === type) && (name === '*' || evidenceName(piece.name) === name);
  return (artifact, budget) => {
    const flows = artifact.flows.filter((known) => applies(toSubject(artifact, known), budget));
    const isRequired = artifact.flows.length === 0 ? applies(toSubject(artifact), budget) : flows.length > 0;
    if (!isRequired) return kept;
    const found = flows.flatMap(({ evidence }) => {
      budget.spend(evidence.length);
      return evidence.filter(fits);
    });
    if (found.length === 0) return broken(`it has no ${what}`);
    const failing = found.find(({ verdict }) => verdict !== 'compliant');
    if (!strict || failing === undefined) return kept;
    return broken(`its ${failing.type} attestation ${failing.name} is ${failing.verdict}`);
  };
}

function anyHolds(conditions: readonly Condition[], subject: ConditionSubject, budget: JudgementBudget): boolean {
  return conditions.some((condition) => holds(condition, subject, budget));
}

/** The artifact without a flow, and with each flow that it was reported to. */
function toSubjects(artifact: JudgedArtifact): readonly ConditionSubject[] {
  return [undefined, ...artifact.flows].map((known) => toSubject(artifact, known));
}

/** Flows have no tags in this service, because the interface has none (interface, Flow). */
function toSubject({ name, fingerprint }: JudgedArtifact, known?: ArtifactInFlow): ConditionSubject {
  const flow = known === undefined ? undefined : { name: known.flow, tags: {} };
  return { artifact: { name, fingerprint }, flow };
}
