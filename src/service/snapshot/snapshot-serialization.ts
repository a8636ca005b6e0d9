import type { RunningArtifact } from './running-artifact.ts';

/** A member's snapshot that a snapshot of a logical environment refers to. */
export interface MemberReference {
  readonly environment: string;
  readonly number: number;
}

/**
 * Serializes the content of a snapshot for storage: the running artifacts or, for a logical environment, references to
 * the snapshots of its members.
 */
export function serializeContent(content: readonly RunningArtifact[] | readonly MemberReference[]): string {
  return JSON.stringify(content);
}

// The casts are safe: `serializeContent` wrote what is parsed here.

/** Parses the content of a snapshot of an environment that is not logical. */
export function parseArtifacts(content: string): readonly RunningArtifact[] {
  return JSON.parse(content) as readonly RunningArtifact[];
}

/** Parses the content of a snapshot of a logical environment. */
export function parseMembers(content: string): readonly MemberReference[] {
  return JSON.parse(content) as readonly MemberReference[];
}
