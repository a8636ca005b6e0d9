import { customTypeWord } from '../names.ts';
import { customTypePrefix } from './custom.ts';
import { attestationKinds } from './kinds.ts';

/** The types of evidence that the service itself defines. */
const ownTypes: readonly string[] = attestationKinds.flatMap(({ types }) => types);

/** What a template or a policy may require, in words. */
export const requirableTypes = `${[...ownTypes, '*'].join(', ')} or ${customTypePrefix}NAME`;

/** Whether the name is that of a built-in type, which no custom type may have. */
export function isReservedType(name: string): boolean {
  return ownTypes.includes(name);
}

/** The types that a template or a policy may require, as a pattern. */
export const requirableTypePattern = `^(?:\\*|${ownTypes.join('|')}|${customTypePrefix}${customTypeWord})$`;

const requirableType = new RegExp(requirableTypePattern, 'u');

/** Whether a template or a policy may require the type. */
export function isRequirableType(type: string): boolean {
  return requirableType.test(type);
}
