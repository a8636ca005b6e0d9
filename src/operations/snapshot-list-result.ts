import type { Verdict } from '../contract/compliance.ts';
import type { SnapshotEntry } from '../contract/snapshot.ts';
import type { OperationResult } from './operation.ts';
import { complianceSign, fact, plain, type Text } from './report.ts';
import { RowCollector } from './row-collector.ts';
import { readableDuration, readableTime } from './time.ts';

/** How many rows the table keeps; a list can be longer than memory. */
const keptRows = 200;

/** The snapshots of a list as they come: their number, and the rows that are shown. */
export class SnapshotRows {
  readonly #rows = new RowCollector(keptRows);

  add(entries: readonly SnapshotEntry[]): void {
    for (const entry of entries) this.#rows.add(() => rowOf(entry));
  }

  get count(): number {
    return this.#rows.count;
  }

  table(): ReturnType<RowCollector['table']> {
    return this.#rows.table('Snapshots', ['Snapshot', 'Compliant', 'From', 'To', 'Duration']);
  }
}

/** What was listed, and the snapshot that is judged. */
export interface ListedSnapshots {
  readonly environment: string;
  readonly org: string;
  readonly page: number | 'all';
  readonly interval: string | undefined;
  readonly rows: SnapshotRows;
  /** The latest snapshot, listed or not; undefined where there is none. */
  readonly latest: SnapshotEntry | undefined;
  readonly answer: Pick<OperationResult, 'response' | 'written'>;
}

/** Judges the latest snapshot of the environment, whichever were listed: what ran before does not decide. */
export function snapshotListResult(listed: ListedSnapshots): OperationResult {
  const { environment, org, page, interval, rows, latest } = listed;
  return {
    outcome: verdictOf(latest),
    conclusion: conclusionOf(environment, latest),
    ...listed.answer,
    count: rows.count,
    report: {
      subject: `Snapshots of environment ${environment}`,
      facts: [
        ...fact('Organization', org),
        ...fact('Environment', environment),
        ...fact('Latest snapshot', latest === undefined ? 'none' : `#${latest.index}`),
        ...fact('Compliant', latest === undefined ? undefined : complianceSign(latest.compliant)),
        ...fact('Since', readableTime(latest?.from)),
        ...fact('Listed', page === 'all' ? `all ${rows.count}` : `${rows.count} (page ${page})`),
        ...fact('Interval', interval),
      ],
      tables: rows.table(),
    },
  };
}

/** Whether the snapshot shows what runs now (recorded from a real service: `to` is 0). */
export function isCurrent({ to }: SnapshotEntry): boolean {
  return to === 0;
}

/** An environment without policies has no verdict (public documentation), and one without snapshots has none yet. */
function verdictOf(latest: SnapshotEntry | undefined): Verdict {
  if (latest === undefined || !isCurrent(latest)) return 'incomplete';
  if (latest.compliant === undefined || latest.compliant === null) return 'incomplete';
  return latest.compliant ? 'compliant' : 'non-compliant';
}

function conclusionOf(environment: string, latest: SnapshotEntry | undefined): string {
  if (latest === undefined) return `Environment ${environment} has no snapshot yet: nothing was reported to it.`;
  const snapshot = `Snapshot #${latest.index} of environment ${environment}`;
  if (!isCurrent(latest)) {
    return `${snapshot} is not current, and the service shows none that is, so nothing was judged.`;
  }
  if (latest.compliant === undefined || latest.compliant === null) {
    return `${snapshot}, the latest, has no verdict; attach a policy to the environment to have it judged.`;
  }
  return `${snapshot}, the latest, is ${latest.compliant ? 'compliant' : 'not compliant'}.`;
}

function rowOf(entry: SnapshotEntry): readonly Text[] {
  return [
    plain(`#${entry.index}`),
    plain(complianceSign(entry.compliant)),
    plain(readableTime(entry.from) ?? ''),
    plain(isCurrent(entry) ? 'now' : (readableTime(entry.to) ?? '')),
    plain(readableDuration(entry.duration) ?? ''),
  ];
}
