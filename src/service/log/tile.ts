/** Entry bundles and proofs of a log, as the C2SP specifications tlog-tiles and tlog-proof define them. */

/** Joins entries, each after its length in two bytes. */
export function bundleEntries(entries: readonly Uint8Array[]): Uint8Array {
  const parts = entries.flatMap((entry) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(entry.length);
    return [length, entry];
  });
  return Buffer.concat(parts);
}

/** The proof that a checkpoint includes an entry, as the C2SP specification tlog-proof defines it. */
export function renderProof(index: number, path: readonly Uint8Array[], checkpoint: string): string {
  const hashes = path.map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes.join('')}\n${checkpoint}`;
}
