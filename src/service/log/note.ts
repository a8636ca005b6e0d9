import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** Checkpoints as signed notes, as the C2SP specifications tlog-checkpoint and signed-note define them. */

/** The size and the root of a log. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** A checkpoint as it was read. */
export interface Checkpoint extends TreeHead {
  /** The schema-less URL of the log. */
  readonly origin: string;
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly keyId: string; readonly signature: Uint8Array }[];
}

/** A public key, as a verifier knows it. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: string;
  readonly key: KeyObject;
}

/** The origin of a log, which its keys are named after: its URL without the scheme. */
export const toLogOrigin = (service: string, org: string): string =>
  `${service.replace(/^https?:\/\//u, '')}/log/${encodeURIComponent(org)}`;

/** The type of Ed25519 signatures in key ids and verifier keys. */
const ed25519 = Uint8Array.of(1);

/** What DER has before the 32 bytes of an Ed25519 public key (RFC 8410). */
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex');

function toRawKey(key: KeyObject): Uint8Array {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(publicKeyPrefix.length);
}

/** The first four bytes of a digest over the name and the key, in hex. */
function toKeyId(name: string, raw: Uint8Array): string {
  return createHash('sha256').update(`${name}\n`).update(ed25519).update(raw).digest('hex').slice(0, 8);
}

/** The public key of a private key as verifiers take it: `<name>+<key id>+<base64>`. */
export function renderVerifierKey(name: string, key: KeyObject): string {
  const raw = toRawKey(key);
  return `${name}+${toKeyId(name, raw)}+${Buffer.concat([ed25519, raw]).toString('base64')}`;
}

/** Reads a verifier key; undefined if the text is not one with an Ed25519 key. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const [, name = '', keyId = '', base64 = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u.exec(text) ?? [];
  const raw = Buffer.from(base64, 'base64').subarray(1);
  if (raw.length !== 32 || toKeyId(name, raw) !== keyId) return undefined;
  const key = createPublicKey({ key: Buffer.concat([publicKeyPrefix, raw]), format: 'der', type: 'spki' });
  return { name, keyId, key };
}

/** Reads the Ed25519 private keys of a PEM file, the current one first; undefined if there is none, or a key of another type. */
export function parseSigningKeys(pem: string): readonly KeyObject[] | undefined {
  const blocks = pem.match(/-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/gu) ?? [];
  try {
    const keys = blocks.map((block) => createPrivateKey(block));
    return keys.length > 0 && keys.every(({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519') ? keys : undefined;
  } catch {
    // Its error might show parts of the key.
    return undefined;
  }
}

/** Writes a checkpoint with a signature of each key. */
export function signCheckpoint(origin: string, { size, root }: TreeHead, keys: readonly KeyObject[]): string {
  const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
  const lines = keys.map((key) => {
    const id = Buffer.from(toKeyId(origin, toRawKey(key)), 'hex');
    return `— ${origin} ${Buffer.concat([id, sign(null, Buffer.from(text), key)]).toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

const signatureLine = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/u;

/** Reads a checkpoint; undefined if the text is not one. Its signatures are not verified. */
export function parseCheckpoint(note: string): Checkpoint | undefined {
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  const [origin = '', size = '', base64 = ''] = text.split('\n');
  const root = Buffer.from(base64, 'base64');
  const lines = note
    .slice(end + 2)
    .trimEnd()
    .split('\n');
  const signatures = lines.map((line) => {
    const [, name = '', signed = ''] = signatureLine.exec(line) ?? [];
    const bytes = Buffer.from(signed, 'base64');
    return { name, keyId: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) };
  });
  const isValid = end > 0 && origin !== '' && /^(?:0|[1-9]\d{0,14})$/u.test(size) && root.length === 32;
  if (!isValid || signatures.some(({ name }) => name === '')) return undefined;
  return { origin, size: Number(size), root, text, signatures };
}

/** Whether the checkpoint has a valid signature of the key. */
export function isSignedBy({ text, signatures }: Checkpoint, { name, keyId, key }: VerifierKey): boolean {
  return signatures.some(
    (each) => each.name === name && each.keyId === keyId && verify(null, Buffer.from(text), key, each.signature),
  );
}
