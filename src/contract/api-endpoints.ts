import { attestationKinds } from './attestations/kinds.ts';
import { isObject } from './check.ts';
import type { Endpoint } from './endpoint.ts';
import * as exported from './endpoint-modules.ts';
import { reportKinds } from './environment-report.ts';

function isEndpoint(value: unknown): value is Endpoint {
  return isObject(value) && 'path' in value && 'repetition' in value;
}

/** Those of the interface first, in its order; the others by their paths. */
function inOrder(one: Endpoint, other: Endpoint): number {
  const [number, otherNumber] = [one.number ?? Infinity, other.number ?? Infinity];
  if (number !== otherNumber) return number - otherNumber;
  return `${one.path} ${one.method}` < `${other.path} ${other.method}` ? -1 : 1;
}

const values: readonly unknown[] = Object.values(exported);

/** All endpoints of the API. In a module of its own, because the action needs few of them, and must not contain others. */
export const apiEndpoints: readonly Endpoint[] = [
  ...values.filter(isEndpoint),
  ...[...attestationKinds, ...reportKinds].map(({ endpoint }) => endpoint),
].toSorted(inOrder);
