import type { KeyObject } from 'node:crypto';
import type { TreeHead } from '../../runtime/transparency-log/checkpoint.ts';
import { parseTilePath } from '../../runtime/transparency-log/tile-path.ts';
import {
  cacheTiles,
  findInclusionProof,
  findRoots,
  type ReadHashes,
  type TileCache,
} from '../../runtime/transparency-log/tree.ts';
import type { ReadTransaction, Storage } from '../platform/database/storage.ts';
import { encodeEntry } from './entry.ts';
import { signCheckpoint, type SignedCheckpoint } from './note.ts';
import { bundleEntries, renderProof } from './tile.ts';

interface Dependencies {
  readonly storage: Storage;
}

export interface LogSigner {
  /** The URL of the log without the scheme. */
  readonly origin: string;
  /** The current key first. */
  readonly keys: readonly KeyObject[];
}

/** The log does not continue the checkpoint that was signed last. */
export class AlteredLogError extends Error {
  override readonly name = 'AlteredLogError';
}

export type ProofSubject =
  | { readonly index: number }
  | { readonly attestation: string }
  | { readonly fingerprint: string }
  | { readonly policy: string; readonly version: number };

type LogRecords = Pick<ReadTransaction, 'log'>;

/** Reads hashes of the tree of a size from the records. */
export function readHashes({ log }: LogRecords, org: string, size: number, cache?: TileCache): ReadHashes {
  return cacheTiles((level, from, to) => log.listHashes(org, level, from, to), size, cache);
}

/**
 * Reads the current size and root, and whether the latest checkpoint was signed for them.
 *
 * @throws AlteredLogError
 */
async function readHead(records: LogRecords, org: string): Promise<TreeHead & { readonly isSigned: boolean }> {
  const [size, signed] = await Promise.all([records.log.findSize(org), records.log.findHead(org)]);
  const read = readHashes(records, org, size);
  const isShorter = signed !== undefined && size < signed.size;
  const { earlier, later } = await findRoots(read, isShorter ? size : (signed?.size ?? 0), size);
  if (signed !== undefined) {
    if (isShorter || !Buffer.from(earlier).equals(signed.root)) {
      const what = `the transparency log of ${org} does not continue the checkpoint with ${signed.size} entries`;
      throw new AlteredLogError(`${what}; nothing is signed; find out what was altered with the command verify`);
    }
  }
  return { size, root: later, isSigned: signed?.size === size };
}

/**
 * Signs a checkpoint of the current log, and stores its root, so that no later one contradicts it.
 *
 * @throws AlteredLogError
 */
export async function createCheckpoint(
  { storage }: Dependencies,
  org: string,
  { origin, keys }: LogSigner,
): Promise<SignedCheckpoint> {
  const current = await storage.read((records) => readHead(records, org));
  const head = current.isSigned
    ? current
    : await storage.transaction(org, async (records) => {
        const latest = await readHead(records, org);
        await records.log.saveHead(org, latest);
        return latest;
      });
  return { text: signCheckpoint(origin, head, keys), size: head.size };
}

/** Reads a tile or an entry bundle by the path after `tile/`; undefined if there is none. */
export function readTile({ storage }: Dependencies, org: string, path: string): Promise<Uint8Array | undefined> {
  return storage.read(async ({ log }) => {
    const tile = parseTilePath(path, await log.findSize(org));
    if (tile === undefined) return undefined;
    const { level, from, to } = tile;
    if (level === 'entries') return bundleEntries((await log.list(org, from, to)).map(encodeEntry));
    return Buffer.concat(await log.listHashes(org, level, from, to));
  });
}

/**
 * Proves that a new checkpoint includes the latest entry of a record; undefined if there is none.
 *
 * @throws AlteredLogError
 */
export async function proveEntry(
  dependencies: Dependencies,
  org: string,
  subject: ProofSubject,
  signer: LogSigner,
): Promise<string | undefined> {
  // Found before the checkpoint is made, so that the checkpoint includes it.
  const index = await dependencies.storage.read((records) => findIndex(records, org, subject));
  if (index === undefined) return undefined;
  const checkpoint = await createCheckpoint(dependencies, org, signer);
  return dependencies.storage.read((records) => proveEntries(records, org, checkpoint)(index));
}

/** Returns a function that renders the proof that a checkpoint includes an entry. */
export function proveEntries(
  records: LogRecords,
  org: string,
  { text, size }: SignedCheckpoint,
  cache?: TileCache,
): (index: number) => Promise<string> {
  const read = readHashes(records, org, size, cache);
  return async (index) => renderProof(index, await findInclusionProof(read, index, size), text);
}

async function findIndex({ log }: LogRecords, org: string, subject: ProofSubject): Promise<number | undefined> {
  if ('index' in subject) return subject.index < (await log.findSize(org)) ? subject.index : undefined;
  if ('attestation' in subject) return log.findInFlows(org, 'attestation', subject.attestation);
  if ('fingerprint' in subject) return log.findInFlows(org, 'artifact', `${subject.fingerprint}/`);
  return log.findRecord(org, 'policy version', `${subject.policy}/${subject.version}`);
}
