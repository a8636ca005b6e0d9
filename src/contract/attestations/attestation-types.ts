import { customTypePrefix } from './custom.ts';
import { attestationKinds } from './kinds.ts';

/** The types that this service has a kind for, with `custom:NAME`; `*` is any. */
const allTypes: readonly string[] = attestationKinds.flatMap(({ types }) => types);
const namedTypes = allTypes.filter((type) => !type.startsWith(customTypePrefix));

/** What a template or a policy may require, in words. */
export const requirableTypes = `${[...namedTypes, '*'].join(', ')} or ${customTypePrefix}NAME`;

/** Whether a custom type must not have the name, because it is that of another type. */
export function isReservedType(name: string): boolean {
  return allTypes.includes(name);
}

/** The types that a template or a policy may require, as a pattern. */
export const requirableTypePattern = `^(?:\\*|${namedTypes.join('|')}|${customTypePrefix}[a-zA-Z0-9][a-zA-Z0-9.\\-_~]*)$`;

const requirableType = new RegExp(requirableTypePattern, 'u');

/** Whether a template or a policy may require the type. */
export function isRequirableType(type: string): boolean {
  return requirableType.test(type);
}
