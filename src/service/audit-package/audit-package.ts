import type { TreeHead } from '../../runtime/transparency-log/checkpoint.ts';
import type { TileCache } from '../../runtime/transparency-log/tree.ts';
import type { Rename } from '../log/renamed-row.ts';

/** What an audit package is about. Times are in Unix seconds, both included. */
export type PackageSubject =
  | { readonly kind: 'trail'; readonly flow: string; readonly trail: string }
  | { readonly kind: 'artifact'; readonly flow: string; readonly fingerprint: string }
  | ({ readonly kind: 'flow'; readonly flow: string } & TimeLimits)
  | ({ readonly kind: 'environment'; readonly environment: string } & TimeLimits);

interface TimeLimits {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The state of the log that a package is made of. */
export interface PackagedLog extends Pick<TreeHead, 'size'> {
  readonly org: string;
  /** The signed checkpoint. */
  readonly checkpoint: string;
  readonly tiles: TileCache;
  /** The latest first. */
  readonly renames: readonly Rename[];
}

/** What the log says about a record of a package. */
export type LogProof =
  | {
      readonly state: 'proven';
      readonly sequence: number;
      /** Whether the record is older than the log. */
      readonly isLate: boolean;
      readonly random: Uint8Array;
      /** The line of the entry. */
      readonly entry: string;
      /** The content of a `.tlog-proof`. */
      readonly proof: string;
    }
  /** Older than the log, and not entered yet. */
  | { readonly state: 'not entered' };

/** A record of a package. */
export interface PackagedRecord {
  readonly kind: string;
  /** What it is about, for readers. */
  readonly title: string;
  readonly row: Readonly<Record<string, unknown>>;
  /** As it was hashed. */
  readonly document: string;
  readonly log: LogProof;
  /** What is wrong with it, as a predicate. */
  readonly fault?: string | undefined;
}

/** The name of the file of a record, without what was reported: names can be anything. */
export const toRecordPath = (kind: string, number: number | string): string =>
  `records/${kind.replaceAll(' ', '-')}/${number}.json`;
