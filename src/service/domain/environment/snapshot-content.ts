import type { RunningArtifact } from './running-artifact.ts';

/** Which snapshot of a member a snapshot of a logical environment shows. */
export interface MemberReference {
  readonly environment: string;
  readonly number: number;
}

/** What a snapshot shows, as it is stored: JSON of what runs, or in a logical environment of its members' snapshots. */
export function serializeContent(content: readonly RunningArtifact[] | readonly MemberReference[]): string {
  return JSON.stringify(content);
}

// What is parsed here was written by `serializeContent`.

/** What the snapshot of an environment of any kind but `logical` shows. */
export function parseArtifacts(content: string): readonly RunningArtifact[] {
  return JSON.parse(content) as readonly RunningArtifact[];
}

/** What the snapshot of a logical environment shows. */
export function parseMembers(content: string): readonly MemberReference[] {
  return JSON.parse(content) as readonly MemberReference[];
}
