import { parseSnapshotInterval, type SnapshotSelector } from '../../contract/snapshot-expression.ts';

/** The moment at which an interval is read. */
export interface Moment {
  /** The number of the latest snapshot. */
  readonly latest: number;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * An interval without words that move while one page after the other is read: `~5..NOW` at snapshot 20 is `15..20`, and
 * `@{2.hours.ago}` becomes a time. What cannot be said otherwise, or is no interval, stays as it is for the service to judge.
 */
export function fixInterval(interval: string, moment: Moment): string {
  const parsed = parseSnapshotInterval(interval);
  const [from, to] = interval.split('..');
  if ('problem' in parsed || from === undefined || to === undefined) return interval;
  return `${fixed(parsed.from, from, moment)}..${fixed(parsed.to, to, moment)}`;
}

function fixed(selector: SnapshotSelector, text: string, { latest, now }: Moment): string {
  switch (selector.kind) {
    case 'latest':
      return String(latest);
    case 'behind':
      return selector.count < latest ? String(latest - selector.count) : text;
    case 'ago':
      return `@{${new Date((now - selector.seconds) * 1000).toISOString().slice(0, 19)}}`;
    case 'number':
    case 'time':
      return text;
  }
}
