import type { ResolutionType } from '../../contract/artifact-assertion.ts';
import { sortReasons } from '../../contract/reason.ts';
import { toDay } from '../../runtime/clock.ts';
import { describeAudience } from '../account/audience.ts';
import { type Evidence, hasName, listEvidenceReasons, toMissingReason } from '../artifact/artifact-state.ts';
import { evidenceName, selectFrom } from '../attestation/evidence-scope.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import { type Condition, type ConditionSubject, holds, listMatches, resolveValue } from '../requirement/condition.ts';
import type { JudgementBudget, PatternUse } from '../requirement/judgement-budget.ts';
import { ConditionError, parseCondition, type Vocabulary } from '../requirement/parse-condition.ts';
import { compileRequirement, listRecorderNames } from '../requirement/requirement.ts';
import { type ArtifactInFlow, type JudgedArtifact, nameWithFlow } from './judged-artifact.ts';
import type { ArtifactRule, AttestationRule, PolicyRules } from './policy-rules.ts';

export type RuleResult =
  | { readonly outcome: 'kept' }
  /** The condition of the rule does not hold for the artifact. */
  | { readonly outcome: 'not applicable' }
  /** The rule would be broken without an exception, or if the artifact were not allowed in the environment. */
  | { readonly outcome: 'excepted' }
  /** The rule is broken, but is not enforced before this day in UTC. */
  | { readonly outcome: 'announced'; readonly from: string; readonly reasons: readonly JudgementReason[] }
  | { readonly outcome: 'broken'; readonly type: ResolutionType; readonly reasons: readonly JudgementReason[] };

/** What a rule requires, as a reader sees it. */
export interface RuleDefinition {
  /** The name of the attestation; `provenance` and `trail-compliance` for the rules of that name. */
  readonly name: string;
  /** The type of the attestation; `artifact` for the other two rules. */
  readonly type: string;
}

interface CompiledRule {
  readonly definition: RuleDefinition;
  /** The first day in UTC on which it is enforced; empty if it always is. */
  readonly enforcedFrom: string;
  /** @throws BudgetExceededError, MissingMatchesError */
  readonly check: RuleCheck;
}

/** `at` is the time of the judgement, in Unix seconds. */
type RuleCheck = (artifact: JudgedArtifact, budget: JudgementBudget, at: number) => RuleResult;

export interface CompiledPolicy {
  readonly rules: readonly CompiledRule[];
  /** Every combination of pattern and text that the rules can match for the artifact. */
  readonly patternUses: (artifact: JudgedArtifact) => Iterable<PatternUse>;
  /** The recorders that its rules name (`from`). */
  readonly recorders: readonly string[];
  /** Whether the verdict can change although nothing but the time does. */
  readonly dependsOnTime: boolean;
  /** An upper estimate of the memory that it takes, in bytes, without the text of the rules. */
  readonly bytes: number;
  /** Why the policy cannot be applied: it was stored before a limit existed that it exceeds. */
  readonly fault?: string | undefined;
}

/** The maximum number of reasons for a broken rule, the worst first. The artifact itself has all of them. */
const maximumRuleReasons = 5;

/** The cost of applying a requirement to a piece of evidence, in steps of a judgement. */
const stepsPerRequirement = 10;

const kept: RuleResult = { outcome: 'kept' };
const notApplicable: RuleResult = { outcome: 'not applicable' };
const excepted: RuleResult = { outcome: 'excepted' };
const broken = (type: ResolutionType, reasons: readonly JudgementReason[]): RuleResult => ({
  ...{ outcome: 'broken', type },
  // A policy is applied to many artifacts, and every snapshot stores its judgement.
  reasons: sortReasons(reasons).slice(0, maximumRuleReasons),
});

/** The memory that compiled policies take at most, in bytes, as measured. */
const bytesOf = { rule: 600, conditionCharacter: 26, pattern: 3000, patternInstruction: 270 };

/** Parses the conditions of a policy once, for all artifacts and all later judgements. */
export function compilePolicy(rules: PolicyRules): CompiledPolicy {
  const conditions: Condition[] = [];
  let characters = 0;
  const read: ReadCondition = (text, vocabulary) => {
    const condition = parseCondition(text, vocabulary);
    characters += text.length;
    conditions.push(condition);
    return condition;
  };
  try {
    const compiled = createRules(rules, read);
    const uses = conditions.flatMap(listMatches);
    const instructions = uses.reduce((sum, { pattern }) => sum + pattern.size, 0);
    return {
      rules: compiled,
      recorders: listRecorderNames(rules.artifacts?.attestations ?? []),
      dependsOnTime: dependsOnTime(rules),
      bytes:
        (compiled.length + conditions.length) * bytesOf.rule +
        characters * bytesOf.conditionCharacter +
        uses.length * bytesOf.pattern +
        instructions * bytesOf.patternInstruction,
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
    return {
      rules: [],
      patternUses: () => [],
      recorders: [],
      dependsOnTime: false,
      bytes: bytesOf.rule,
      fault: `one of its conditions ${error.message}`,
    };
  }
}

type ReadCondition = (text: string, vocabulary?: Vocabulary) => Condition;

function dependsOnTime({ enforce_from: from, artifacts = {} }: PolicyRules): boolean {
  const rules = [artifacts.provenance, artifacts['trail-compliance']];
  return (
    from !== undefined ||
    rules.some((rule) => rule?.exceptions?.some(({ until }) => until !== undefined) === true) ||
    artifacts.attestations?.some((rule) => rule.enforce_from !== undefined || rule.max_age !== undefined) === true
  );
}

function createRules(
  { enforce_from: from = '', artifacts: { provenance, attestations = [], ...others } = {} }: PolicyRules,
  read: ReadCondition,
): readonly CompiledRule[] {
  const trailCompliance = others['trail-compliance'];
  const create = (name: string, check: RuleCheck, type = 'artifact', ruleFrom = from): CompiledRule => ({
    definition: { name, type },
    // The later of the two days, which sort as texts.
    enforcedFrom: ruleFrom > from ? ruleFrom : from,
    check,
  });
  return [
    ...(provenance?.required === true ? [create('provenance', provenanceCheck(provenance, read))] : []),
    ...(trailCompliance?.required === true
      ? [create('trail-compliance', trailComplianceCheck(trailCompliance, read))]
      : []),
    ...attestations.map((rule) => create(rule.name ?? '*', attestationCheck(rule, read), rule.type, rule.enforce_from)),
  ];
}

function provenanceCheck({ exceptions = [] }: ArtifactRule, read: ReadCondition): RuleCheck {
  const compiled = compileExceptions(exceptions, read);
  return (artifact, budget, at) => {
    if (artifact.flows.length > 0) return kept;
    return isExcepted(compiled, toSubject(artifact), budget, at)
      ? excepted
      : broken('missing_attestation', [unreported(artifact)]);
  };
}

function trailComplianceCheck({ exceptions = [] }: ArtifactRule, read: ReadCondition): RuleCheck {
  const compiled = compileExceptions(exceptions, read);
  return (artifact, budget, at) => {
    if (artifact.flows.length === 0) {
      return isExcepted(compiled, toSubject(artifact), budget, at)
        ? excepted
        : broken('non_compliant_in_trail', [unreported(artifact)]);
    }
    budget.spend(artifact.flows.length);
    const failing = artifact.flows.filter(({ state }) => state !== 'COMPLIANT');
    const judged = failing.filter((known) => !isExcepted(compiled, toSubject(artifact, known), budget, at));
    if (judged.length === 0) return failing.length === 0 ? kept : excepted;
    const reasons = judged.flatMap((known) =>
      known.reasons.map((reason) => ({ ...reason, about: nameWithFlow(reason.about, known.flow, artifact.flows) })),
    );
    return broken('non_compliant_in_trail', reasons);
  };
}

function attestationCheck(rule: AttestationRule, read: ReadCondition): RuleCheck {
  const { type, name = '*', if: text, must_be_compliant: strict = true } = rule;
  const condition = text === undefined ? undefined : read(text);
  const apply = compileRequirement(rule, read, strict);
  const applies = (subject: ConditionSubject, budget: JudgementBudget): boolean =>
    condition === undefined || holds(condition, subject, budget);
  const isNamed = (piece: Evidence): boolean => name === '*' || evidenceName(piece.name) === name;
  const fits = (piece: Evidence): boolean => (type === '*' || piece.type === type) && isNamed(piece);
  const about = `attestation${type === '*' ? '' : ` of type ${type}`}`;
  const missing: JudgementReason = { state: 'missing', about, value: 'not recorded' };
  return (artifact, budget, at) => {
    const flows = artifact.flows.filter((known) => applies(toSubject(artifact, known), budget));
    const isRequired = artifact.flows.length === 0 ? applies(toSubject(artifact), budget) : flows.length > 0;
    if (!isRequired) return notApplicable;
    const found = flows.flatMap(({ evidence }) => {
      budget.spend(evidence.length);
      return selectFrom(evidence, rule).filter(fits);
    });
    if (found.length === 0) {
      // Without provenance there is no evidence, so provenance is what to mend.
      if (artifact.flows.length === 0) return broken('missing_attestation', [unreported(artifact)]);
      const shown = flows.flatMap(({ evidence }) => selectFrom(evidence, {}));
      const mismatched = shown.find(name === '*' ? fits : isNamed);
      if (name === '*' && mismatched === undefined) return broken('missing_attestation', [missing]);
      const uncounted = flows.map((known) => known.uncounted).find((known) => hasName(known, name));
      const audience = uncounted === undefined ? undefined : describeAudience(uncounted.audience);
      const status = { label: name === '*' ? about : name, type, mismatched, from: rule.from, uncounted: audience };
      return broken('missing_attestation', [toMissingReason(status)]);
    }
    budget.spend(found.length * stepsPerRequirement);
    const judged = found.map((piece) => apply(piece, at));
    const failing = judged.filter(
      (piece, index) => piece !== found[index] || (strict && piece.verdict !== 'compliant'),
    );
    if (failing.length === 0) return kept;
    const reasons = failing.flatMap((piece) =>
      listEvidenceReasons(piece, nameWithFlow(piece.name, piece.flow, artifact.flows)),
    );
    return broken('non_compliant_attestation', reasons);
  };
}

function unreported({ name, uncounted }: JudgedArtifact): JudgementReason {
  const value =
    uncounted === undefined ? 'not reported to any flow' : `reported only with keys that do not count for ${uncounted}`;
  return { state: 'missing', about: name, value };
}

export interface RuleEvaluation {
  readonly definition: RuleDefinition;
  readonly result: RuleResult;
}

/**
 * @param at the time of the judgement, in Unix seconds
 * @throws BudgetExceededError, MissingMatchesError
 */
export function evaluateRules(
  { rules }: CompiledPolicy,
  artifact: JudgedArtifact,
  budget: JudgementBudget,
  at: number,
): readonly RuleEvaluation[] {
  budget.spend(rules.length);
  return rules.map(({ definition, enforcedFrom: from, check }) => {
    const result = check(artifact, budget, at);
    if (result.outcome !== 'broken') return { definition, result };
    if (artifact.isAllowed === true) return { definition, result: excepted };
    if (from === '' || from <= toDay(at)) return { definition, result };
    return { definition, result: { outcome: 'announced', from, reasons: result.reasons } };
  });
}

interface CompiledException {
  readonly condition: Condition;
  readonly until: string | undefined;
}

function compileExceptions(
  exceptions: NonNullable<ArtifactRule['exceptions']>,
  read: ReadCondition,
): readonly CompiledException[] {
  return exceptions.map(({ if: text, until }) => ({ condition: read(text), until }));
}

function isExcepted(
  exceptions: readonly CompiledException[],
  subject: ConditionSubject,
  budget: JudgementBudget,
  at: number,
): boolean {
  return exceptions.some(
    ({ condition, until }) => (until === undefined || until >= toDay(at)) && holds(condition, subject, budget),
  );
}

/** The artifact without a flow, and with each flow that it was reported to. */
function toSubjects(artifact: JudgedArtifact): readonly ConditionSubject[] {
  return [undefined, ...artifact.flows].map((known) => toSubject(artifact, known));
}

function toSubject({ name, fingerprint }: JudgedArtifact, known?: ArtifactInFlow): ConditionSubject {
  const flow = known === undefined ? undefined : { name: known.flow, tags: known.tags };
  return { artifact: { name, fingerprint }, flow };
}
