import { parseSnapshotExpression, parseSnapshotInterval } from '../../contract/snapshot-expression.ts';
import type { Input } from './input.ts';
import { flag } from './parse.ts';

/** Snapshot 1 of a difference: the one that is taken for the earlier. */
export const snapshot1 = snapshotExpression('snapshot-1');

/** Snapshot 2 of a difference: the one that is taken for the later. */
export const snapshot2 = snapshotExpression('snapshot-2');

/** From which snapshot to which. */
export const interval: Input<string> = {
  name: 'interval',
  secret: false,
  parse(value) {
    const parsed = parseSnapshotInterval(value);
    if (!('problem' in parsed)) return { value };
    return {
      problem: `must be an interval of snapshots: ${parsed.problem}`,
      remedy: 'Write for example 3..7, ~5..NOW or @{2.days.ago}..NOW; the environment is in `environment`.',
    };
  },
};

/** Whether the oldest come first. */
export const reverse = flag('reverse');

function snapshotExpression(name: string): Input<string> {
  return {
    name,
    secret: false,
    parse(value) {
      const parsed = parseSnapshotExpression(value);
      if (!('problem' in parsed)) return { value };
      return {
        problem: `must select a snapshot: ${parsed.problem}`,
        remedy: 'Write for example prod (its latest), prod#12 (number 12) or prod~1 (one behind the latest).',
      };
    },
  };
}
