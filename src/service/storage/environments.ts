import type { EnvironmentKind } from '../../contract/environment.ts';
import type { Environment } from '../domain/environment/snapshot.ts';

/** What every use of an environment needs to know of it. */
export interface EnvironmentHead {
  readonly org: string;
  readonly name: string;
  readonly kind: EnvironmentKind;
  /** The number of its latest snapshot; 0 if it has none. */
  readonly latest: number;
}

/** What new evidence is about: one artifact, a trail, or a whole flow. */
export type EvidenceSubject = { readonly org: string } & (
  { readonly fingerprint: string } | { readonly flow: string; readonly trail?: string }
);

/** Environments as they are read. */
export interface EnvironmentReader {
  find(org: string, name: string): Promise<Environment | undefined>;
  findHead(org: string, name: string): Promise<EnvironmentHead | undefined>;
  /** Those of the names that exist, by their name. */
  findHeads(org: string, names: readonly string[]): Promise<ReadonlyMap<string, EnvironmentHead>>;
  /** The members of a logical environment that have a snapshot, by name. */
  listMemberHeads(org: string, name: string): Promise<readonly EnvironmentHead[]>;
  /** The policies that are attached to an environment, by name. */
  listPolicies(org: string, name: string): Promise<readonly string[]>;
  /** The logical environments that show any of these, by name, each once. */
  listIncluding(org: string, names: readonly string[]): Promise<readonly string[]>;
  /** Whether any environment of the organization has a policy attached. */
  hasPolicies(org: string): Promise<boolean>;
  /** The environments that run now what the evidence is about, each once. */
  listRunning(subject: EvidenceSubject): Promise<readonly string[]>;
}

/** Environments as they are written. */
export interface EnvironmentWriter extends EnvironmentReader {
  /** Inserts the environment, or replaces its description and the time of the change. Its organization exists. */
  save(environment: Omit<Environment, 'members' | 'policies' | 'latest'>): Promise<void>;
  replaceMembers(org: string, name: string, members: readonly string[]): Promise<void>;
  /** None of the policies is attached, and all exist. */
  attachPolicies(org: string, name: string, policies: readonly string[]): Promise<void>;
  detachPolicies(org: string, name: string, policies: readonly string[]): Promise<void>;
}
