import { parseSnapshotInterval, type SnapshotSelector } from '../../contract/snapshot-expression.ts';

/** The state that relative expressions refer to. */
export interface ResolutionTime {
  /** The number of the latest snapshot. */
  readonly latest: number;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * Replaces relative expressions, which would change their meaning from page to page: `~5..NOW` at snapshot 20 is
 * `15..20`, `~25..NOW` is `1..20`, and `@{2.hours.ago}` becomes a time. An invalid interval is returned unchanged, for the
 * service to reject.
 */
export function resolveInterval(interval: string, moment: ResolutionTime): string {
  const parsed = parseSnapshotInterval(interval);
  if ('problem' in parsed) return interval;
  // `NOW` by itself is both ends.
  const [from = '', to = from] = interval.split('..');
  const isBeforeFirst = parsed.from.kind === 'behind' && parsed.from.count >= moment.latest;
  const fixed = `${isBeforeFirst ? '1' : resolve(parsed.from, from, moment)}..${resolve(parsed.to, to, moment)}`;
  // `7..~3` at snapshot 8 is empty, but the service would reject `7..5`.
  return 'problem' in parseSnapshotInterval(fixed) ? interval : fixed;
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
