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

/** An image with its digest. */
export interface ImageReference {
  /** Everything before the `@`. */
  readonly name: string;
  readonly fingerprint: string;
}

/** An image with its digest: `name@sha256:…`. No registry is asked. */
export const image: Input<ImageReference> = {
  name: 'image',
  parse(value) {
    const at = value.indexOf('@');
    const name = at < 0 ? value : value.slice(0, at);
    const digest = at < 0 ? '' : value.slice(at + 1);
    const fingerprint = bareFingerprint(digest);
    const isComplete = digest.startsWith('sha256:') && /^[a-f0-9]{64}$/u.test(fingerprint);
    if (isComplete && name !== '' && !/\s/u.test(name) && name.length <= maximumLineLength) {
      return { value: { name, fingerprint } };
    }
    return {
      problem: 'must be an image with its digest: `name@sha256:` and 64 hex digits',
      remedy:
        'Take the digest from the step that pushed the image, such as the output `digest` of docker/build-push-action, because no registry is asked: `ghcr.io/acme/web@${{ steps.build.outputs.digest }}`.',
      ...(value.length > 200 ? { part: `${value.slice(0, 40).toWellFormed()}…` } : {}),
    };
  },
};
