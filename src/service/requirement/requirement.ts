import type { Verdict } from '../../contract/compliance.ts';
import { describeFault, type Fault } from '../../contract/reason.ts';
import { Type, type Static } from '../../contract/schema.ts';
import { isOverridden, type Facts } from '../attestation/facts.ts';
import type { RecordedFault } from '../attestation/reasons.ts';
import { holds, listPaths, MissingFactError, type Condition } from '../policy/condition.ts';
import { ConditionError, evidenceVocabulary, parseCondition, type Vocabulary } from '../policy/parse-condition.ts';

/*
 * What a template or a policy requires of a piece of evidence beyond its name and type. It is written the same way in
 * both. Evidence that has the name and the type, and fails a requirement, is not compliant.
 */

/** The fields of a requirement, in an entry of a template or a policy. */
export const requirementFields = {
  require: Type.Optional(
    Type.String({ description: '`${{ evidence.new_coverage >= 80 }}`: a condition on the facts of the evidence.' }),
  ),
} as const;

/** The fields of a requirement that only a policy can have: the verdict of a trail does not change with the time. */
export const agingFields = {
  max_age: Type.Optional(
    Type.String({ pattern: '^[1-9][0-9]{0,4}[mhd]$', description: '`24h`: how old the evidence may be.' }),
  ),
} as const;

type Fields = typeof requirementFields & typeof agingFields;

/** What an entry requires of evidence. */
export type Requirement = { readonly [Field in keyof Fields]?: Static<Fields[Field]> };

/** Whether an entry requires more than a name and a type. */
export function hasRequirement(entry: Requirement): boolean {
  return Object.keys(requirementFields).some((field) => Object.hasOwn(entry, field));
}

/**
 * What is required of a type without a condition of its own. The record goes by the threshold of the step, which the
 * change may have written, so it could be lower than this.
 */
const defaultConditions: Readonly<Record<string, string>> = {
  snyk: '${{ evidence.high == 0 and (not exists(evidence.critical) or evidence.critical == 0) }}',
};

/** Why a condition on evidence is invalid: completes a sentence that names it; undefined if it is valid. */
export function findRequirementFault({ require: text }: Requirement): string | undefined {
  if (text === undefined) return undefined;
  try {
    parseCondition(text, evidenceVocabulary);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return error.message;
  }
}

/** What a requirement reads of a piece of evidence, and may change. */
interface JudgedPiece {
  readonly type: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly faults: readonly RecordedFault[];
  readonly facts?: Facts | undefined;
  readonly createdAt?: number;
}

/** Reads a condition; policies count what their conditions take. */
type ReadCondition = (text: string, vocabulary: Vocabulary) => Condition;

/**
 * Prepares a requirement. The result returns evidence as it satisfies the requirement: what it fails is among its faults,
 * and makes it not compliant; if it fails nothing, the same object. `at` is the time of the judgement in Unix seconds.
 *
 * @param hasDefault whether evidence that the entry has no condition for must meet that of its type
 * @throws ConditionError
 */
export function compileRequirement(
  { require: text, max_age: maximumAge }: Requirement,
  read: ReadCondition = parseCondition,
  hasDefault = true,
): <Piece extends JudgedPiece>(piece: Piece, at?: number) => Piece {
  const own = text === undefined ? undefined : { text, condition: read(text, evidenceVocabulary) };
  return (piece, at) => {
    // Who may override a verdict has seen the facts.
    const required = isOverridden(piece.facts)
      ? undefined
      : (own ?? (hasDefault ? readDefault(piece.type) : undefined));
    const faults = [
      ...(required === undefined ? [] : findUnmet(required, piece.facts)),
      ...(maximumAge === undefined || at === undefined ? [] : findTooOld(maximumAge, piece, at)),
    ];
    if (faults.length === 0) return piece;
    const reason = faults.map(describeFault).join('. ');
    return { ...piece, verdict: 'non-compliant', reason, faults: [...piece.faults, ...faults] };
  };
}

const secondsOf: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

function findTooOld(maximumAge: string, { createdAt }: JudgedPiece, at: number): readonly Fault[] {
  const unit = maximumAge.slice(-1);
  const limit = `at most ${maximumAge.slice(0, -1)} ${unit} is allowed`;
  if (createdAt === undefined) return [{ value: 'of an unknown age', limit }];
  const age = (at - createdAt) / (secondsOf[unit] ?? 1);
  return age > Number(maximumAge.slice(0, -1)) ? [{ value: `${Math.ceil(age)} ${unit} old`, limit }] : [];
}

interface ReadableCondition {
  readonly text: string;
  readonly condition: Condition;
}

function readDefault(type: string): ReadableCondition | undefined {
  const text = Object.hasOwn(defaultConditions, type) ? defaultConditions[type] : undefined;
  return text === undefined ? undefined : { text, condition: parseCondition(text, evidenceVocabulary) };
}

function findUnmet({ text, condition }: ReadableCondition, facts: Facts | undefined): readonly Fault[] {
  const limit = `${unwrap(text)} is required`;
  if (facts === undefined) return [{ value: 'recorded by an earlier version, which kept no facts', limit }];
  try {
    return holds(condition, { evidence: facts }) ? [] : [{ value: describeFacts(condition, facts), limit }];
  } catch (error) {
    if (!(error instanceof MissingFactError)) throw error;
    return [{ value: error.message, limit }];
  }
}

/** The facts that a condition reads: `new_coverage is 61.2, bugs is 3`. */
function describeFacts(condition: Condition, facts: Facts): string {
  const read = listPaths(condition).map(([, fact = '']) => [fact, facts[fact]] as const);
  const known = read.map(([fact, value]) => `${fact} is ${value === undefined ? 'not known' : String(value)}`);
  return known.length === 0 ? 'the condition never holds' : known.join(', ');
}

/** A condition without the marks around it. */
function unwrap(condition: string): string {
  return condition.trim().slice(3, -2).trim();
}
