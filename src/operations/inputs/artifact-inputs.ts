import { maximumLineLength } from '../../contract/limits.ts';
import { bareFingerprint } from '../../contract/names.ts';
import type { FingerprintedArtifact } from '../../evidence/fingerprint/fingerprint.ts';
import type { Input } from './input.ts';
import { lines } from './input-types.ts';

/** An image, and its digest if the input has one. */
export interface ImageReference {
  /** Everything before the `@`. */
  readonly name: string;
  /** Undefined if the registry must be asked, or the folder read. */
  readonly fingerprint: string | undefined;
}

/** An image: `registry/name:tag`, `name@sha256:…`, or `oci:folder`. Its name is parsed when it is resolved. */
export const image: Input<ImageReference> = {
  name: 'image',
  parse(value) {
    const found = value.includes('@') ? splitDigest(value) : { name: value, fingerprint: undefined };
    if (found !== undefined && !/\s/u.test(found.name) && found.name.length <= maximumLineLength)
      return { value: found };
    return {
      problem: 'must be an image: `registry/name:tag`, or `name@sha256:` and 64 hex digits',
      remedy:
        'Check that the expression after the `@` is not empty: the digest is, for example, the output `digest` of docker/build-push-action: `ghcr.io/acme/web@${{ steps.build.outputs.digest }}`.',
      ...(value.length > 200 ? { part: `${value.slice(0, 40).toWellFormed()}…` } : {}),
    };
  },
};

/** What runs, one artifact per line: `name@sha256:…`. */
export const artifacts = lines<FingerprintedArtifact>({
  name: 'artifacts',
  parse(value) {
    const found = splitDigest(value);
    if (found !== undefined && found.name.length <= maximumLineLength) return { value: found };
    return {
      problem: 'must be artifacts with their digests, one per line: `name@sha256:` and 64 hex digits',
      remedy: 'Write the digest instead of a tag, and check that no expression on this line is empty.',
    };
  },
});

/** Splits `name@sha256:…`; undefined if the text has another form. */
function splitDigest(text: string): FingerprintedArtifact | undefined {
  const [, name, digest = ''] = /^(.+)@(sha256:[a-f\d]{64})$/iu.exec(text) ?? [];
  return name === undefined ? undefined : { name, fingerprint: bareFingerprint(digest) };
}
