import { createHash } from 'node:crypto';
import type { TileCache } from '../../runtime/transparency-log/tree.ts';
import type { SignedCheckpoint } from '../log/note.ts';
import type { Rename } from '../log/renamed-row.ts';

/** What an audit package is about. Times are in Unix seconds, both included. */
export type PackageSubject =
  | { readonly kind: 'trail'; readonly flow: string; readonly trail: string }
  | { readonly kind: 'artifact'; readonly flow: string; readonly fingerprint: string }
  | ({ readonly kind: 'flow'; readonly flow: string } & TimeLimits)
  | ({ readonly kind: 'environment'; readonly environment: string } & TimeLimits);

export type EnvironmentSubject = Extract<PackageSubject, { kind: 'environment' }>;

interface TimeLimits {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The state of the log that a package is based on. */
export interface PackagedLog {
  readonly org: string;
  readonly checkpoint: SignedCheckpoint;
  readonly tiles: TileCache;
  /** The latest first. */
  readonly renames: readonly Rename[];
}

export interface LogProof {
  readonly sequence: number;
  /** Whether the record is older than the log. */
  readonly isLate: boolean;
  readonly random: Uint8Array;
  readonly entry: string;
  /** The content of a `.tlog-proof` file. */
  readonly proof: string;
}

export interface PackagedRecord {
  readonly kind: string;
  readonly title: string;
  readonly row: Readonly<Record<string, unknown>>;
  /** The document, exactly as it was hashed. */
  readonly document: string;
  /** Undefined if it is older than the log, and not entered yet. */
  readonly proven?: LogProof;
  /** What is wrong with it, as a predicate. */
  readonly fault?: string | undefined;
}

/** The path of a record in the package, without reported text, which could be an unsafe path. */
export function toRecordPath({ kind, document, proven }: PackagedRecord): string {
  const digest = (): string => createHash('sha256').update(document).digest('hex').slice(0, 16);
  return `records/${kind.replaceAll(' ', '-')}/${proven?.sequence ?? `not-entered-${digest()}`}.json`;
}
