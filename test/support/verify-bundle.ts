import { createPublicKey, type KeyObject } from 'node:crypto';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { parseVerifierKey, renderVerifierKey } from '../../src/runtime/transparency-log/verifier-key.ts';
import { valueAt } from '../../src/runtime/untrusted-data.ts';

/**
 * Verifies a Sigstore bundle with the libraries of Sigstore, and returns its statement.
 *
 * @throws Error unless it is signed by the key, which the bundle names by its id
 */
export function verifyBundle(bundle: unknown, name: string, privateKey: KeyObject): unknown {
  const expected = parseVerifierKey(renderVerifierKey(name, privateKey))?.keyId;
  const root = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
  const trust = toTrustMaterial({ ...root, mediaType: '' }, (hint) => {
    if (hint !== expected) throw new Error(`the key ${hint} is unknown`);
    return { publicKey: createPublicKey(privateKey), validFor: () => true };
  });
  const thresholds = { tlogThreshold: 0, timestampThreshold: 0, ctlogThreshold: 0 };
  new Verifier(trust, thresholds).verify(toSignedEntity(bundleFromJSON(bundle)));
  return JSON.parse(Buffer.from(String(valueAt(bundle, 'dsseEnvelope', 'payload')), 'base64').toString());
}
