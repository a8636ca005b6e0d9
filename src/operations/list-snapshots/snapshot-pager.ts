import type { SnapshotEntry } from '../../contract/snapshot.ts';
import { ExternalError } from '../../runtime/failure.ts';
import type { Pager } from '../operation.ts';

interface SnapshotPagerOptions {
  /** Fetches a page, counted from 1. */
  readonly fetchPage: (page: number) => Promise<readonly SnapshotEntry[]>;
  /** Whether the oldest come first. */
  readonly reverse: boolean;
  /** The number of the latest snapshot at the start; later ones are left out. */
  readonly latest: number;
}

/** How many pages in a row may contain only known snapshots, because new ones move the list; more are a fault of the service. */
const maximumRepeats = 3;

/**
 * Returns every snapshot once, even if new ones are made meanwhile: if the newest come first, a new one moves others to
 * the next page, so known numbers are left out. A short page is not the end, because the service may limit the page
 * size; the end is an empty page, or the last snapshot in the requested order.
 *
 * @throws ExternalError if the service returns the same snapshots page after page
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
    if (repeats > maximumRepeats) {
      throw new ExternalError({
        what: `list-snapshots: the service kept returning the same snapshots up to page ${page}, so the list would be incomplete`,
        remedy: "Try a larger `per-page`. If that does not help, report this to the service's operators.",
      });
    }
    return fresh;
  };
}
