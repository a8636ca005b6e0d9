import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** Two keys that sign transparency logs, the current one first. */
export const sampleSigningKeys: readonly KeyObject[] = [
  generateKeyPairSync('ed25519').privateKey,
  generateKeyPairSync('ed25519').privateKey,
];
