import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { TreeHead } from '../../runtime/transparency-log/checkpoint.ts';
import { toKeyId, toRawKey } from '../../runtime/transparency-log/verifier-key.ts';

/** Signing checkpoints, as the C2SP specification signed-note defines it. */

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

export interface SignedCheckpoint extends Pick<TreeHead, 'size'> {
  readonly text: string;
}

export function signCheckpoint(origin: string, { size, root }: TreeHead, keys: readonly KeyObject[]): string {
  const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
  const lines = keys.map((key) => {
    const id = Buffer.from(toKeyId(origin, toRawKey(key)), 'hex');
    return `— ${origin} ${Buffer.concat([id, sign(null, Buffer.from(text), key)]).toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}
