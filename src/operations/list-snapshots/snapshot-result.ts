import type { SnapshotEntry } from '../../contract/snapshot.ts';
import { formatDuration, formatTime } from '../format-time.ts';
import type { OperationResult } from '../operation.ts';
import { pollFacts, type PollTiming, timeoutNotice } from '../polling.ts';
import { concludeWithReasons } from '../reasons.ts';
import { complianceLabel, fact, link, listTable, plain, type Table, type Text } from '../report.ts';
import { isCurrent, judgeLatestSnapshot, snapshotCompliance } from './latest-snapshot.ts';

/** How many rows the table has at most; the whole list may not fit into memory. */
const maximumRows = 200;

/** Counts the snapshots of a list and keeps the rows that are shown, so that memory does not grow with the list. */
export class SnapshotRows {
  readonly #rows: (readonly Text[])[] = [];
  #count = 0;

  add(entries: readonly SnapshotEntry[]): void {
    this.#count += entries.length;
    this.#rows.push(...entries.slice(0, maximumRows - this.#rows.length).map(toRow));
  }

  get count(): number {
    return this.#count;
  }

  table(): readonly Table[] {
    return listTable('Snapshots', ['Snapshot', 'Compliant', 'From', 'To', 'Duration'], this.#rows, this.#count);
  }
}

/** What was listed, and the snapshot that decides. */
export interface SnapshotListing {
  readonly environment: string;
  readonly org: string;
  readonly page: number | 'all';
  readonly interval: string | undefined;
  readonly rows: SnapshotRows;
  /** The latest snapshot, listed or not; undefined if there is none. */
  readonly latest: SnapshotEntry | undefined;
  readonly timing: PollTiming;
  readonly answer: Pick<OperationResult, 'response' | 'written'>;
}

/** The result: the latest snapshot decides, even if it was not listed. */
export function createSnapshotResult(listed: SnapshotListing): OperationResult {
  const { environment, org, page, interval, rows, latest, timing } = listed;
  const { verdict, reasons, sentence } = judgeLatestSnapshot(environment, latest);
  return {
    outcome: verdict,
    conclusion: concludeWithReasons(sentence, reasons, {
      subject: environment,
      more: timeoutNotice(timing),
    }),
    ...listed.answer,
    count: rows.count,
    htmlUrl: latest?.html_url,
    report: {
      subject: `Snapshots of environment ${environment}`,
      reasons,
      facts: [
        ...fact('Organization', org),
        ...fact('Environment', environment),
        ...fact('Latest snapshot', latest === undefined ? 'none' : `#${latest.index}`, latest?.html_url),
        ...fact('Compliant', latest === undefined ? undefined : complianceLabel(snapshotCompliance(latest))),
        ...fact('Since', formatTime(latest?.from)),
        ...fact('Listed', page === 'all' ? `all ${rows.count}` : `${rows.count} (page ${page})`),
        ...fact('Interval', interval),
        ...pollFacts(timing),
      ],
      tables: rows.table(),
    },
  };
}

function toRow(entry: SnapshotEntry): readonly Text[] {
  return [
    link(`#${entry.index}`, entry.html_url),
    plain(complianceLabel(snapshotCompliance(entry))),
    plain(formatTime(entry.from) ?? ''),
    plain(isCurrent(entry) ? 'now' : (formatTime(entry.to) ?? '')),
    plain(formatDuration(entry.duration) ?? ''),
  ];
}
