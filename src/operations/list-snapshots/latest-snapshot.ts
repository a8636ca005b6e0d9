import type { ComplianceClient } from '../../client/client.ts';
import type { Verdict } from '../../contract/compliance.ts';
import type { Reason } from '../../contract/reason.ts';
import { listSnapshots as endpoint, type SnapshotEntry } from '../../contract/snapshot.ts';
import { readReasons, unexplainedReason } from '../reasons.ts';

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

/** The verdict on the latest snapshot of an environment. */
export interface LatestVerdict {
  readonly verdict: Verdict;
  /** The worst first; empty if it is compliant. */
  readonly reasons: readonly Reason[];
  /** A sentence without a full stop: `Snapshot #3 of environment prod, the latest, is not compliant`. */
  readonly sentence: string;
}

/** Judges the latest snapshot. Incomplete if there is no current one, or if the environment has no policies. */
export function judgeLatestSnapshot(environment: string, latest: SnapshotEntry | undefined): LatestVerdict {
  if (latest === undefined) {
    const reason = { state: 'missing', about: environment, value: 'nothing has been reported to it' } as const;
    return { verdict: 'incomplete', reasons: [reason], sentence: `Environment ${environment} has no snapshot yet` };
  }
  const snapshot = `Snapshot #${latest.index} of environment ${environment}`;
  if (!isCurrent(latest)) {
    const value = 'the service lists no current snapshot, so nothing was judged';
    const reasons = [{ state: 'incomplete', about: environment, value }] as const;
    return { verdict: 'incomplete', reasons, sentence: `${snapshot} is not current` };
  }
  const compliant = snapshotCompliance(latest);
  const newest = `${snapshot}, the latest,`;
  if (compliant === true) return { verdict: 'compliant', reasons: [], sentence: `${newest} is compliant` };
  const answered = readReasons(latest.reasons);
  if (compliant === undefined) {
    const limit = 'attach a policy to have it judged';
    const derived = [{ state: 'incomplete', about: environment, value: 'no policy judges it', limit }] as const;
    const reasons = answered.length > 0 ? answered : derived;
    return { verdict: 'incomplete', reasons, sentence: `${newest} has no verdict` };
  }
  // The list of another service says no more.
  const hint = 'not compliant; the page of the snapshot says why';
  const reasons =
    answered.length > 0 ? answered : [unexplainedReason(environment, 'non-compliant', hint, latest.html_url)];
  return { verdict: 'non-compliant', reasons, sentence: `${newest} is not compliant` };
}
