import type { OperationName } from '../contract/endpoint.ts';
import type { Operation } from './operation.ts';

/**
 * The operations that a step can run. Each is loaded when it is asked for: a step runs one, and every job pays for what a
 * step loads.
 */
export const operations = {
  'create-flow': async () => (await import(/* webpackMode: "eager" */ './create-flow.ts')).createFlow,
  'attest-sonar': async () => (await import(/* webpackMode: "eager" */ './attest-sonar.ts')).attestSonar,
  'get-artifact': async () => (await import(/* webpackMode: "eager" */ './get-artifact.ts')).getArtifact,
} as const satisfies Partial<Record<OperationName, () => Promise<Operation>>>;

/** The name of an operation that a step can run. */
export type RunnableName = keyof typeof operations;

/** The names of all operations that a step can run, in the interface's order. */
export const runnableNames = Object.keys(operations) as readonly RunnableName[];
