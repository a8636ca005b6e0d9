import { conforms } from '../check.ts';
import type { Static, TSchema } from '../schema.ts';
import { type CommonAttestation, ruleDataKey } from './attestation-fields.ts';
import type { AttestationJudgement } from './attestation-kind.ts';

/** The step's own rule for its evidence, in `user_data` under `ruleDataKey`; undefined if it has none. */
export function readRule<Schema extends TSchema>(
  schema: Schema,
  { user_data: data = {} }: Pick<CommonAttestation, 'user_data'>,
): Static<Schema> | 'unreadable' | undefined {
  const rule = Object.hasOwn(data, ruleDataKey) ? data[ruleDataKey] : undefined;
  if (rule === undefined) return undefined;
  return conforms(schema, rule) ? rule : 'unreadable';
}

/** The verdict if the rule is not about this kind of evidence. */
export function judgeUnreadableRule(about: string): AttestationJudgement {
  const reason = `\`user_data.${ruleDataKey}\` is not a rule about ${about}`;
  return { verdict: 'incomplete', reason, faults: [{ value: reason }] };
}
