import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** The fingerprint of a file of 1 GB instead of 256 MB, and pages with 1,000,000 attestations instead of 100,000. */
  readonly large: boolean;
  /** Also measures the service with PostgreSQL, which needs a PostgreSQL on the machine, with pgbench. */
  readonly postgres: boolean;
  /** Measures only what others notice of a tenant that floods the service, which takes several minutes. */
  readonly hostile: boolean;
  /** Exits with 1 if a figure misses its required target. Off by default, because a busy machine is no failure. */
  readonly check: boolean;
  /** How often each figure is measured. */
  readonly rounds: number;
  /** Measures only the parts whose names contain one of these words; all if empty. */
  readonly only: readonly string[];
}

/**
 * Parses the command line.
 *
 * @throws TypeError if an option is unknown
 */
export function readOptions(words: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      large: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      hostile: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '15' },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new RangeError('--rounds must be a whole number from 1');
  const { large, postgres, hostile, check, only } = values;
  return { large, postgres, hostile, check, rounds, only };
}
