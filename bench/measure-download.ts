import { distBytes } from './built-action.ts';
import { type Row, withTarget } from './row.ts';
import { kilobytes } from './units.ts';

/** The size of what every job downloads before its first step with the action. */
export function measureDownload(): Row {
  const bytes = distBytes();
  return withTarget(
    { what: 'dist/, which a runner downloads', figure: kilobytes(bytes) },
    bytes,
    { better: 'lower', mustReach: 1_200_000, aimFor: 500_000 },
    kilobytes,
  );
}
