import { type KeyObject, sign } from 'node:crypto';
import { bundleToJSON, toDSSEBundle } from '@sigstore/bundle';
import { dsse } from '@sigstore/core';
import { renderVerifierKey } from '../../runtime/transparency-log/verifier-key.ts';

/** An in-toto statement: claims (`predicate`) about something that is identified by its digest (`subject`). */
export interface Statement {
  readonly subject: { readonly name?: string | undefined; readonly digest: Readonly<Record<string, string>> };
  /** A URL that stands for the meaning of the fields of the predicate. */
  readonly predicateType: string;
  readonly predicate: Readonly<Record<string, unknown>>;
}

const payloadType = 'application/vnd.in-toto+json';

/**
 * Signs a statement with an Ed25519 key, as a Sigstore bundle with a DSSE envelope, in JSON.
 *
 * @param name the name of the key, which the id in the bundle depends on (`renderVerifierKey`)
 */
export function signStatement({ subject, predicateType, predicate }: Statement, name: string, key: KeyObject): string {
  const statement = { _type: 'https://in-toto.io/Statement/v1', subject: [subject], predicateType, predicate };
  const artifact = Buffer.from(JSON.stringify(statement));
  const signature = sign(null, dsse.preAuthEncoding(payloadType, artifact), key);
  const [, keyHint = ''] = renderVerifierKey(name, key).split('+');
  const bundle = toDSSEBundle({ artifact, artifactType: payloadType, signature, keyHint });
  // Verifiers skip signatures with an unknown key id, so it is empty. The hint names the key.
  bundle.content.dsseEnvelope.signatures = [{ sig: signature, keyid: '' }];
  return JSON.stringify(bundleToJSON(bundle));
}
