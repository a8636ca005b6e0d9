import { attestationKinds } from './kinds.ts';

/** The types that the kinds of this service have; `*` is any. */
const namedTypes: readonly string[] = attestationKinds.flatMap(({ types }) => types);

/** What a template or a policy may require, in words. */
export const requirableTypes = `${[...namedTypes, '*'].join(', ')} or custom:NAME`;

/** The types that a template or a policy may require, as a pattern. */
export const requirableTypePattern = `^(?:\\*|${namedTypes.join('|')}|custom:[a-zA-Z0-9][a-zA-Z0-9.\\-_~]*)$`;

const requirableType = new RegExp(requirableTypePattern, 'u');

/** Whether a template or a policy may require the type. */
export function isRequirableType(type: string): boolean {
  return requirableType.test(type);
}
