import type { ComplianceClient } from '../../client/client.ts';
import type { Verdict } from '../../contract/compliance.ts';
import { listSnapshots as endpoint, type SnapshotEntry } from '../../contract/snapshot.ts';

/** Fetches the snapshot that shows what runs now, else the newest; undefined if nothing was ever reported. */
export async function fetchLatestSnapshot(
  client: ComplianceClient,
  org: string,
  environment: string,
): Promise<SnapshotEntry | undefined> {
  const answer = await client.call(endpoint, {
    parameters: { org, env_name: environment },
    query: { page: 1, per_page: 1 },
  });
  return findCurrentSnapshot(answer.body) ?? answer.body[0];
}

/**
 * The snapshot that shows what runs now; undefined if none does. If two do for a moment, because the service ends the
 * earlier one late, the later one counts.
 */
export function findCurrentSnapshot(entries: readonly SnapshotEntry[]): SnapshotEntry | undefined {
  return entries
    .filter(isCurrent)
    .reduce<SnapshotEntry | undefined>(
      (latest, entry) => (latest === undefined || entry.index > latest.index ? entry : latest),
      undefined,
    );
}

/** Whether the snapshot shows what runs now (recorded from a real service: `to` is 0). */
export function isCurrent({ to }: SnapshotEntry): boolean {
  return to === 0;
}

/**
 * Whether a snapshot is compliant; undefined if it was not judged, because the environment has no policies. This
 * project's service then sends `judged: false` with `compliant: false`; other services omit `compliant` or send null.
 */
export function snapshotCompliance({ compliant, judged }: SnapshotEntry): boolean | undefined {
  return judged === false ? undefined : (compliant ?? undefined);
}

/** Incomplete if there is no current snapshot, or if the environment has no policies (public documentation). */
export function latestSnapshotVerdict(latest: SnapshotEntry | undefined): Verdict {
  const compliant = latest === undefined || !isCurrent(latest) ? undefined : snapshotCompliance(latest);
  if (compliant === undefined) return 'incomplete';
  return compliant ? 'compliant' : 'non-compliant';
}

/** The verdict of the latest snapshot, as a sentence. */
export function describeLatestSnapshot(environment: string, latest: SnapshotEntry | undefined): string {
  if (latest === undefined) return `Environment ${environment} has no snapshot yet: nothing has been reported to it.`;
  const snapshot = `Snapshot #${latest.index} of environment ${environment}`;
  if (!isCurrent(latest)) {
    return `${snapshot} is not current, and the service lists no current one, so nothing was judged.`;
  }
  const compliant = snapshotCompliance(latest);
  if (compliant === undefined) {
    return `${snapshot}, the latest, has no verdict; attach a policy to the environment to have it judged.`;
  }
  return `${snapshot}, the latest, is ${compliant ? 'compliant' : 'not compliant'}.`;
}
