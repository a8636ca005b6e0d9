import type { Verdict } from '../../contract/compliance.ts';
import { describeFault, type Fault } from '../../contract/reason.ts';
import { type Static, Type } from '../../contract/schema.ts';
import { dayText } from '../../contract/text-fields.ts';
import { type Facts, isOverridden } from '../attestation/facts.ts';
import type { RecordedFault } from '../attestation/reasons.ts';
import type { FieldFault } from '../platform/yaml/read-yaml-file.ts';
import { type Condition, holds, listPaths, MissingFactError } from './condition.ts';
import {
  ConditionError,
  evidenceVocabulary,
  parseCondition,
  unwrapCondition,
  type Vocabulary,
} from './parse-condition.ts';
import { isRecorderName } from './recorder.ts';

/*
 * What a template or a policy requires of evidence beyond its name and type. It is written in the same way in both.
 * Evidence that has the name and the type but does not meet the requirement is not compliant.
 */

/** The fields of a requirement, in an entry of a template or a policy. */
export const requirementFields = {
  from: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 20,
      description: '`[rule:trusted-scan]`: the login rules and service accounts whose evidence counts.',
    }),
  ),
  require: Type.Optional(
    Type.String({ description: '`${{ evidence.new_coverage >= 80 }}`: a condition on the facts of the evidence.' }),
  ),
} as const;

/** The first day on which an entry counts. In a template, it counts for trails that begin on this day or later. */
export const enforceFrom = Type.Optional(
  dayText({ description: 'The first day in UTC on which it counts: `2027-01-01`.' }),
);

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

/** Why a condition on evidence is invalid: completes a sentence that names it; undefined if it is valid. */
export function findConditionFault(text: string): string | undefined {
  try {
    parseCondition(text, evidenceVocabulary);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return error.message;
  }
}

/** The faults of an entry's requirement, by field. */
export function findRequirementFaults({ require: text, from }: Requirement, field: string): readonly FieldFault[] {
  const fault = text === undefined ? undefined : findConditionFault(text);
  return [...(fault === undefined ? [] : [[`${field}.require`, fault] as const]), ...findFromFaults(from, field)];
}

/** The faults of the list of recorders of an entry, by field. */
export function findFromFaults(from: Requirement['from'] = [], field: string): readonly FieldFault[] {
  return from.flatMap((name, index): readonly FieldFault[] =>
    isRecorderName(name)
      ? []
      : [[`${field}.from.${index}`, `must be rule:NAME or service-account:NAME; it is ${name}`]],
  );
}

/** The recorders that requirements name, each once. */
export function listRecorderNames(entries: readonly Pick<Requirement, 'from'>[]): readonly string[] {
  return [...new Set(entries.flatMap(({ from = [] }) => from))];
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

interface EvidenceCondition {
  /** Without the marks around it. */
  readonly text: string;
  readonly condition: Condition;
}

function readEvidenceCondition(text: string, read: ReadCondition = parseCondition): EvidenceCondition {
  return { text: unwrapCondition(text)?.trim() ?? text, condition: read(text, evidenceVocabulary) };
}

/**
 * The conditions on evidence whose entry has none, by type. The recorded verdict depends on the threshold of the step,
 * which the author of the change may have lowered.
 */
const defaultConditions: ReadonlyMap<string, EvidenceCondition> = new Map([
  [
    'snyk',
    readEvidenceCondition('${{ evidence.high == 0 and (not exists(evidence.critical) or evidence.critical == 0) }}'),
  ],
]);

/**
 * Prepares a requirement. The result is a function that returns evidence unchanged if it meets the requirement, and else
 * as not compliant, with what it lacks among its faults. `at` is the time of the judgement in Unix seconds.
 *
 * @param hasDefault whether evidence must meet the default condition of its type, if the entry has none
 * @throws ConditionError
 */
export function compileRequirement(
  { require: text, max_age: maximumAge }: Requirement,
  read?: ReadCondition,
  hasDefault = true,
): <Piece extends JudgedPiece>(piece: Piece, at?: number) => Piece {
  const own = text === undefined ? undefined : readEvidenceCondition(text, read);
  return (piece, at) => {
    const required = own ?? (hasDefault ? defaultConditions.get(piece.type) : undefined);
    const faults = [
      // Whoever overrides a verdict has decided in spite of the facts.
      ...(required === undefined || isOverridden(piece.facts) ? [] : findUnmet(required, piece.facts)),
      ...(maximumAge === undefined || at === undefined ? [] : findTooOld(maximumAge, piece, at)),
    ];
    if (faults.length === 0) return piece;
    const reason = faults.map(describeFault).join('. ');
    return { ...piece, verdict: 'non-compliant', reason, faults: [...piece.faults, ...faults] };
  };
}

/** The units of an age, in seconds and in words. */
const units: Readonly<Record<string, { readonly seconds: number; readonly word: string }>> = {
  m: { seconds: 60, word: 'min' },
  h: { seconds: 3600, word: 'h' },
  d: { seconds: 86_400, word: 'days' },
};

function findTooOld(maximumAge: string, { createdAt }: JudgedPiece, at: number): readonly Fault[] {
  const maximum = Number(maximumAge.slice(0, -1));
  const { seconds = 1, word = '' } = units[maximumAge.slice(-1)] ?? {};
  const limit = `at most ${maximum} ${word}`;
  if (createdAt === undefined) return [{ value: 'of an unknown age', limit }];
  const age = (at - createdAt) / seconds;
  return age > maximum ? [{ value: `${Math.ceil(age)} ${word} old`, limit }] : [];
}

function findUnmet({ text, condition }: EvidenceCondition, facts: Facts | undefined): readonly Fault[] {
  const limit = `${text} is required`;
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
  const known = read.map(([fact, value = 'not known']) => `${fact} is ${typeof value === 'object' ? 'a list' : value}`);
  return known.length === 0 ? 'the condition never holds' : known.join(', ');
}
