import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Checkpoint } from './checkpoint.ts';

/** A public key with the name and the id by which signatures refer to it. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: string;
  readonly key: KeyObject;
}

/** The type of Ed25519 signatures in key ids and verifier keys. */
const ed25519 = Uint8Array.of(1);

/** The DER encoding of an Ed25519 public key (RFC 8410), up to its 32 bytes. */
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex');

export function toRawKey(key: KeyObject): Uint8Array {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(publicKeyPrefix.length);
}

/** The first four bytes of a digest over the name and the key, in hex. */
export function toKeyId(name: string, raw: Uint8Array): string {
  return createHash('sha256').update(`${name}\n`).update(ed25519).update(raw).digest('hex').slice(0, 8);
}

/** The public key of a private key in the format of C2SP: `<name>+<key id>+<base64>`. */
export function renderVerifierKey(name: string, key: KeyObject): string {
  const raw = toRawKey(key);
  return `${name}+${toKeyId(name, raw)}+${Buffer.concat([ed25519, raw]).toString('base64')}`;
}

/** A line for each key. */
export const renderVerifierKeys = (name: string, keys: readonly KeyObject[]): string =>
  keys.map((key) => `${renderVerifierKey(name, key)}\n`).join('');

/** Reads a verifier key; undefined if the text is not one with an Ed25519 key. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const [, name = '', keyId = '', base64 = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u.exec(text) ?? [];
  const raw = Buffer.from(base64, 'base64').subarray(1);
  if (raw.length !== 32 || toKeyId(name, raw) !== keyId) return undefined;
  const key = createPublicKey({ key: Buffer.concat([publicKeyPrefix, raw]), format: 'der', type: 'spki' });
  return { name, keyId, key };
}

/** Whether the checkpoint has a valid signature of the key. */
export function isSignedBy({ text, signatures }: Checkpoint, { name, keyId, key }: VerifierKey): boolean {
  return signatures.some(
    (each) => each.name === name && each.keyId === keyId && verify(null, Buffer.from(text), key, each.signature),
  );
}
