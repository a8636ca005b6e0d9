import { templateItem } from '../../contract/flow.ts';
import { maximumTextLength } from '../../contract/limits.ts';
import {
  abbreviatedFingerprint,
  attestationId as attestationIdSchema,
  attestationName as attestationNameSchema,
  bareFingerprint,
  fingerprint as wholeFingerprint,
  flowName,
  trailName,
} from '../../contract/names.ts';
import { withFallback } from './input.ts';
import { httpUrl, lines, oneOf, schemaText, text } from './input-types.ts';

const nameRemedy = 'Use only these characters; for a branch or pull request, write `pr-12` rather than `pr/12`.';

export const flow = withFallback(
  schemaText(
    'flow',
    flowName,
    'the name of a flow: a letter or digit, then letters, digits, `.`, `-`, `_` and `~`',
    nameRemedy,
  ),
);

export const trail = schemaText(
  'trail',
  trailName,
  'the name of a trail: a letter or digit, then letters, digits, `.`, `-`, `_` and `~`',
  nameRemedy,
);

export const attestationName = schemaText(
  'attestation-name',
  attestationNameSchema,
  'the name of an attestation: letters, digits, `-` and `_`; or `artifact.attestation`, two such names with a dot in between',
  'Use the name that the template of the flow expects.',
);

/** The full fingerprint of an artifact; the value has no `sha256:`. */
export const fingerprint = schemaText(
  'fingerprint',
  wholeFingerprint,
  'a SHA-256 of 64 hex digits',
  'Copy all digits of the SHA-256, with or without `sha256:` in front of them.',
  bareFingerprint,
);

/** The full fingerprints of artifacts, one per line; the values have no `sha256:`. */
export const wholeFingerprints = lines(fingerprint);

/** The fingerprints of artifacts, full or abbreviated, one per line; the values have no `sha256:`. */
export const fingerprints = lines(
  schemaText(
    'fingerprint',
    abbreviatedFingerprint,
    'a SHA-256 in hex digits: all 64, or at least the first 5',
    'Copy the digits of the SHA-256, with or without `sha256:` in front of them, or set `files` to compute it.',
    bareFingerprint,
  ),
);

export const attestationId = schemaText(
  'attestation-id',
  attestationIdSchema,
  'the id of an artifact attestation: groups of 8, 4, 4, 4 and 8 lowercase hex digits',
  'Copy the id from the service.',
);

/** The description of a flow, an environment, a policy or an attestation. */
export const description = text('description', maximumTextLength);

export const visibility = oneOf('visibility', ['public', 'private']);

/** The attestations that artifacts of a flow must have, one per line. */
export const template = lines(
  schemaText(
    'template',
    templateItem,
    'names of evidence, one per line: letters, digits, `-` and `_`',
    'Write one name a line, without spaces.',
  ),
);

export const templateFile = text('template-file');

export const repoUrl = httpUrl(
  'repo-url',
  "Use the URL of the repository's page.",
  'Remove everything up to the `@`, because the URL is stored where others can read it.',
);
