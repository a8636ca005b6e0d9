import { maximumLineLength } from '../../contract/limits.ts';
import { bareFingerprint, templateReferenceName } from '../../contract/names.ts';
import { schemaText, text } from './input-types.ts';
import type { Input } from './input.ts';

/** The artifact's name in the template of its flow. */
export const artifactName = schemaText(
  'artifact-name',
  templateReferenceName,
  'the name of an artifact in a template: letters, digits, `-` and `_`',
  'Use the name that the template of the flow has for the artifact.',
);

/** The name of an artifact whose fingerprint is given. */
export const filename = text('filename', maximumLineLength);

/** The path of a file in the format of `sha256sum`. */
export const checksumsPath = text('checksums-path');

/** Where an image is that is not in a registry: a folder with an OCI image layout, `oci:folder` or `oci:folder:tag`. */
export const layoutPrefix = 'oci:';

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
    const at = value.lastIndexOf('@');
    const name = at < 0 ? value : value.slice(0, at);
    const digest = value.slice(name.length + 1);
    const fingerprint = at < 0 ? undefined : bareFingerprint(digest);
    const hasValidDigest = fingerprint === undefined || /^sha256:[a-f0-9]{64}$/iu.test(digest);
    if (hasValidDigest && name !== '' && !/\s/u.test(name) && name.length <= maximumLineLength) {
      return { value: { name, fingerprint } };
    }
    return {
      problem: 'must be an image: `registry/name:tag`, or `name@sha256:` and 64 hex digits',
      remedy:
        'Check that the expression after the `@` is not empty: the digest is, for example, the output `digest` of docker/build-push-action: `ghcr.io/acme/web@${{ steps.build.outputs.digest }}`.',
      ...(value.length > 200 ? { part: `${value.slice(0, 40).toWellFormed()}…` } : {}),
    };
  },
};
