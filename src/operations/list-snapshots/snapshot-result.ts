import type { SnapshotEntry } from '../../contract/snapshot.ts';
import { complianceOf, isCurrent, verdictOfLatest, wordsOfLatest } from '../latest-snapshot.ts';
import type { OperationResult } from '../operation.ts';
import { complianceSign, fact, plain, type Table, type Text } from '../report.ts';
import { RowCollector } from './row-collector.ts';
import { readableDuration, readableTime } from '../format-time.ts';
import { timeUpWords, waitingFacts, type Waiting } from '../polling.ts';

/** How many rows the table keeps; a list can be longer than memory. */
const keptRows = 200;

/** The snapshots of a list as they come: their number, and the rows that are shown. */
export class SnapshotRows {
  readonly #rows = new RowCollector(keptRows, rowOf);

  add(entries: readonly SnapshotEntry[]): void {
    for (const entry of entries) this.#rows.add(entry);
  }

  get count(): number {
    return this.#rows.count;
  }

  table(): readonly Table[] {
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
  readonly waiting: Waiting;
  readonly answer: Pick<OperationResult, 'response' | 'written'>;
}

/** Judges the latest snapshot of the environment, whichever were listed: what ran before does not decide. */
export function snapshotListResult(listed: ListedSnapshots): OperationResult {
  const { environment, org, page, interval, rows, latest, waiting } = listed;
  return {
    outcome: verdictOfLatest(latest),
    conclusion: [wordsOfLatest(environment, latest), ...timeUpWords(waiting)].join(' '),
    ...listed.answer,
    count: rows.count,
    report: {
      subject: `Snapshots of environment ${environment}`,
      facts: [
        ...fact('Organization', org),
        ...fact('Environment', environment),
        ...fact('Latest snapshot', latest === undefined ? 'none' : `#${latest.index}`),
        ...fact('Compliant', latest === undefined ? undefined : complianceSign(complianceOf(latest))),
        ...fact('Since', readableTime(latest?.from)),
        ...fact('Listed', page === 'all' ? `all ${rows.count}` : `${rows.count} (page ${page})`),
        ...fact('Interval', interval),
        ...waitingFacts(waiting),
      ],
      tables: rows.table(),
    },
  };
}

function rowOf(entry: SnapshotEntry): readonly Text[] {
  return [
    plain(`#${entry.index}`),
    plain(complianceSign(complianceOf(entry))),
    plain(readableTime(entry.from) ?? ''),
    plain(isCurrent(entry) ? 'now' : (readableTime(entry.to) ?? '')),
    plain(readableDuration(entry.duration) ?? ''),
  ];
}
