import type { SnapshotEntry } from '../../contract/snapshot.ts';
import { ExternalError } from '../../runtime/failure.ts';
import type { Pager } from '../operation.ts';

/** A walk through the pages of snapshots. */
interface SnapshotPagerOptions {
  /** Gives a page, counted from 1. */
  readonly fetchPage: (page: number) => Promise<readonly SnapshotEntry[]>;
  /** Whether the oldest come first. */
  readonly reverse: boolean;
  /** The number of the snapshot that was the latest when the walk began; later ones are left out. */
  readonly latest: number;
}

/** How many pages without anything new are taken for a list that moves; more are a service that repeats itself. */
const mostRepeats = 3;

/**
 * Every snapshot once, though others may be made meanwhile: where the newest come first, a new one pushes others from one page
 * to the next, and numbers that were seen are left out. A page can be shorter than was asked for, since a service may have a
 * largest size that nobody shows; so the end is an empty page, or the first or latest snapshot itself.
 *
 * @throws ExternalError where the service answers the same snapshots page after page
 */
export function createSnapshotPager({ fetchPage, reverse, latest }: SnapshotPagerOptions): Pager<SnapshotEntry> {
  const end = reverse ? latest : 1;
  let seen = reverse ? 0 : latest + 1;
  let repeats = 0;
  let page = 0;
  return async () => {
    if (seen === end) return undefined;
    page += 1;
    const entries = await fetchPage(page);
    if (entries.length === 0) return undefined;
    const fresh: SnapshotEntry[] = [];
    for (const entry of entries) {
      const isFurther = reverse ? entry.index > seen : entry.index < seen;
      if (!isFurther || entry.index > latest) continue;
      fresh.push(entry);
      seen = entry.index;
    }
    repeats = fresh.length === 0 ? repeats + 1 : 0;
    if (repeats > mostRepeats) throw repeated(page);
    return fresh;
  };
}

function repeated(page: number): ExternalError {
  return new ExternalError({
    what: `list-snapshots: the service kept answering with the same snapshots up to page ${page}, so the list would be incomplete`,
    remedy: "Try a larger `per-page`. If that does not help, tell the service's operators.",
  });
}
