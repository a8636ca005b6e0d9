import { maximumLineLength, maximumNameLength } from '../../contract/limits.ts';
import { annotationKey, bareFingerprint, fingerprint } from '../../contract/names.ts';
import { httpUrl, lines, pairs, schemaText, secret, text } from './input-types.ts';

/** Paths and globs of files to send, one per line. */
export const files = lines(text('files'), 'ignored');

/** Paths and globs of artifacts to judge, one per line. */
export const artifactFiles = lines(text('files'));

/** A JSON object, or the path of a file with one. */
export const userData = text('user-data');

/** Short remarks by key. */
export const annotations = pairs(
  'annotations',
  schemaText(
    'annotations',
    annotationKey,
    'one remark per line, whose key has only letters, digits and `_`',
    'Write `key=remark`.',
  ),
  text('annotations', maximumLineLength),
);

/** Links to other systems by label. */
export const externalUrls = pairs(
  'external-urls',
  text('external-urls', maximumNameLength),
  httpUrl(
    'external-urls',
    'Write `label=https://…`, one per line.',
    'Use a URL that others can open without your password.',
  ),
);

/** The fingerprints of what the links lead to, by label. */
export const externalFingerprints = pairs(
  'external-fingerprints',
  text('external-fingerprints', maximumNameLength),
  schemaText(
    'external-fingerprints',
    fingerprint,
    'a SHA-256 of 64 hex digits for each label',
    'Write `label=` and all digits of the SHA-256, with or without `sha256:` in front of them.',
    bareFingerprint,
  ),
);

/** The commit to attest, if it is not the event's commit. */
export const commitSha = text('commit-sha');

export const githubToken = secret('github-token');
