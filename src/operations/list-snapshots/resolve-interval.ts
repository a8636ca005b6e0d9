import { parseSnapshotInterval, type SnapshotSelector } from '../../contract/snapshot-expression.ts';

/** The moment at which an interval is read. */
export interface ResolutionTime {
  /** The number of the latest snapshot. */
  readonly latest: number;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * An interval without words that move while one page after the other is read: `~5..NOW` at snapshot 20 is `15..20`, and
 * `@{2.hours.ago}` becomes a time. What cannot be said otherwise, or is no interval, stays as it is for the service to judge.
 */
export function resolveInterval(interval: string, moment: ResolutionTime): string {
  const parsed = parseSnapshotInterval(interval);
  const [from, to] = interval.split('..');
  if ('problem' in parsed || from === undefined || to === undefined) return interval;
  return `${resolve(parsed.from, from, moment)}..${resolve(parsed.to, to, moment)}`;
}

function resolve(selector: SnapshotSelector, text: string, { latest, now }: ResolutionTime): string {
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
