import { parseArgs } from 'node:util';

/** What the bench is asked for. */
export interface BenchOptions {
  /** A file of 1 GB, instead of 256 MB, for the fingerprint. */
  readonly large: boolean;
  /** Also what a million attestations do to each answer of the service. */
  readonly million: boolean;
  /** Also a backup of a large service while it is written to. */
  readonly backup: boolean;
  /** Also how quickly a small service says that it is ready while hostile requests are sent to it. */
  readonly hostile: boolean;
  /** Ends with 1 when a figure misses what it must reach. Without it a busy machine is no failure. */
  readonly check: boolean;
  /** How often each thing is measured. */
  readonly rounds: number;
  /** Words in the names of the parts that are measured; all parts where there is none. */
  readonly only: readonly string[];
}

/** Reads the command line. Throws the parser's error on an unknown option. */
export function readOptions(words: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      large: { type: 'boolean', default: false },
      million: { type: 'boolean', default: false },
      backup: { type: 'boolean', default: false },
      hostile: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '15' },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new RangeError('--rounds must be a whole number from 1');
  const { large, million, backup, hostile, check, only } = values;
  return { large, million, backup, hostile, check, rounds, only };
}
