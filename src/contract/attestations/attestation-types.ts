import { attestationKinds, isAttestationType } from './kinds.ts';

/** The type that every attestation has, for a template or a policy. */
const anyType = '*';

const namedTypes: readonly string[] = [
  ...attestationKinds.map(({ type }) => type),
  // Types of the public documentation that cannot be recorded yet.
  ...['snyk', 'jira', 'decision'],
];

/** What a template or a policy may require, in words. */
export const requirableTypes = `${[...namedTypes, anyType].join(', ')} or custom:NAME`;

/** The types that a template or a policy may require, as a pattern. */
export const requirableTypePattern = `^(?:\\*|${namedTypes.join('|')}|custom:[a-zA-Z0-9][a-zA-Z0-9.\\-_~]*)$`;

const requirableType = new RegExp(requirableTypePattern, 'u');

/** Whether a template or a policy may require the type: some implementation of the interface knows it. */
export function isRequirableType(type: string): boolean {
  return requirableType.test(type);
}

/** Whether evidence that satisfies a requirement of the type can be recorded. */
export function isRecordableType(type: string): boolean {
  return type === anyType || isAttestationType(type);
}
