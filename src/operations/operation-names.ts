import { addedOperationNames, operationNames } from '../contract/endpoint.ts';

/** The operations that a step can run: the sixteen of the interface, and those that this action adds. */
export const allOperationNames = [
  ...operationNames,
  ...addedOperationNames,
  'audit-branch',
  'report-environment',
  'replay',
] as const;

/** The name of an operation that a step can run. */
export type AnyOperationName = (typeof allOperationNames)[number];
