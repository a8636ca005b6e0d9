import { maximumTextLength } from '../../contract/limits.ts';
import {
  attestationName as attestationNameSchema,
  bareFingerprint,
  fingerprint as wholeFingerprint,
  flowName,
  trailName,
} from '../../contract/names.ts';
import { withFallback } from './input.ts';
import { schemaText, text } from './input-types.ts';

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

/** The description of a flow, an environment, a policy or an attestation. */
export const description = text('description', maximumTextLength);

export const templateFile = text('template-file');
