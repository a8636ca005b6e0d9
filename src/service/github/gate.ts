import type { GithubGate, GithubGateDocument } from '../../contract/github-gate.ts';

/** The fields of a gate that an admin declares, with defaults. */
export type GateDeclaration = Required<GithubGateDocument>;

export function withDefaults(document: GithubGateDocument): GateDeclaration {
  return { environments: {}, wait: '30m', ...document };
}

/** What two gates cannot share. */
export interface GateOverlap {
  readonly gate: string;
  readonly kind: 'repository' | 'flow';
  readonly member: string;
}

/** Finds what another gate has already. */
export function findOverlap(
  { repositories, flows }: GateDeclaration,
  others: readonly Pick<GithubGate, 'name' | 'repositories' | 'flows'>[],
): GateOverlap | undefined {
  for (const other of others) {
    const repository = repositories.find((id) => other.repositories.includes(id));
    if (repository !== undefined) return { gate: other.name, kind: 'repository', member: repository };
    const flow = flows.find((name) => other.flows.includes(name));
    if (flow !== undefined) return { gate: other.name, kind: 'flow', member: flow };
  }
  return undefined;
}

/** How long a deployment waits for what is missing, in seconds. */
export function waitSeconds({ wait }: Pick<GithubGate, 'wait'>): number {
  return Number(wait.slice(0, -1)) * (wait.endsWith('h') ? 3600 : 60);
}

/** The gate with the new name of a flow or environment. */
export function renameInGate<Renamed extends Pick<GateDeclaration, 'flows' | 'environments'>>(
  gate: Renamed,
  { kind, from, to }: { readonly kind: 'flow' | 'environment'; readonly from: string; readonly to: string },
): Renamed {
  const replace = (name: string): string => (name === from ? to : name);
  if (kind === 'flow') return { ...gate, flows: [...new Set(gate.flows.map(replace))] };
  const environments = Object.entries(gate.environments).map(([key, name]) => [key, replace(name)] as const);
  return { ...gate, environments: Object.fromEntries(environments) };
}
