/** Decodes the bytes and drops a byte order mark; undefined if they are not valid in that encoding. */
export function decodeText(
  bytes: Uint8Array,
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' = 'utf-8',
): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
