import { describeFault, type Fault } from '../../contract/reason.ts';
import { Type, type Static } from '../../contract/schema.ts';
import type { Evidence } from '../artifact/artifact-state.ts';
import type { Facts } from '../attestation/facts.ts';
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

/** What an entry requires of evidence. */
export type Requirement = {
  readonly [Field in keyof typeof requirementFields]?: Static<(typeof requirementFields)[Field]>;
};

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

/** Reads a condition; policies count what their conditions take. */
type ReadCondition = (text: string, vocabulary: Vocabulary) => Condition;

/**
 * Prepares a requirement. The result returns evidence as it satisfies the requirement: what it fails is among its faults,
 * and makes it not compliant; if it fails nothing, the same object.
 *
 * @throws ConditionError
 */
export function compileRequirement(
  { require: text }: Requirement,
  read: ReadCondition = parseCondition,
): <Piece extends Evidence>(piece: Piece) => Piece {
  const own = text === undefined ? undefined : { text, condition: read(text, evidenceVocabulary) };
  return (piece) => {
    const required = own ?? readDefault(piece.type);
    const fault = required === undefined ? undefined : findFault(required, piece.facts);
    if (fault === undefined) return piece;
    const reason = describeFault(fault);
    return { ...piece, verdict: 'non-compliant', reason, faults: [...piece.faults, fault] };
  };
}

interface ReadableCondition {
  readonly text: string;
  readonly condition: Condition;
}

function readDefault(type: string): ReadableCondition | undefined {
  const text = Object.hasOwn(defaultConditions, type) ? defaultConditions[type] : undefined;
  return text === undefined ? undefined : { text, condition: parseCondition(text, evidenceVocabulary) };
}

function findFault({ text, condition }: ReadableCondition, facts: Facts | undefined): Fault | undefined {
  const limit = `${unwrap(text)} is required`;
  if (facts === undefined) return { value: 'recorded by an earlier version, which kept no facts', limit };
  try {
    return holds(condition, { evidence: facts }) ? undefined : { value: describeFacts(condition, facts), limit };
  } catch (error) {
    if (!(error instanceof MissingFactError)) throw error;
    return { value: error.message, limit };
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
