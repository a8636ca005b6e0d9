import type { CommonAttestation } from '../../contract/attestations/attestation-fields.ts';
import { redactableFields } from '../../evidence/commit/commit-redaction.ts';
import type { Problem } from '../../runtime/failure.ts';
import { image } from './artifact-inputs.ts';
import { deliveryInputs } from './delivery-inputs.ts';
import {
  annotations,
  commitSha,
  externalFingerprints,
  externalUrls,
  files,
  githubToken,
  userData,
} from './evidence-inputs.ts';
import { attestationName, description, fingerprint, flow, trail } from './flow-inputs.ts';
import { optional, required, type Use, type ValuesOf, withDefault } from './input.ts';
import { flag, someOf } from './input-types.ts';

/** The inputs that say which commit the evidence is about. */
export const commitInputs = {
  commitSha: optional(commitSha),
  /** Parts of the commit's information that are not sent. */
  redactCommitInfo: withDefault(someOf('redact-commit-info', redactableFields), []),
  githubToken: optional(githubToken),
} as const;

export const linkInputs = {
  externalUrls: optional(externalUrls),
  externalFingerprints: optional(externalFingerprints),
} as const;

export function checkLinks({
  externalUrls: urls = {},
  externalFingerprints: fingerprints = {},
}: ValuesOf<typeof linkInputs>): readonly Problem[] {
  const without = Object.keys(fingerprints).filter((label) => !Object.hasOwn(urls, label));
  return without.map((label) => ({
    input: 'external-fingerprints',
    what: `\`external-fingerprints\` has the label ${JSON.stringify(label)}, which \`external-urls\` lacks`,
    remedy: 'Add the URL of the same label to `external-urls`.',
  }));
}

/** The links of a record; nothing if there are none. */
export function toExternalUrls({
  externalUrls: urls,
  externalFingerprints: fingerprints = {},
}: ValuesOf<typeof linkInputs>): Pick<CommonAttestation, 'external_urls'> {
  if (urls === undefined) return {};
  const links = Object.entries(urls).map(([label, href]) => {
    const fingerprint = Object.hasOwn(fingerprints, label) ? fingerprints[label] : undefined;
    return [label, { href, ...(fingerprint === undefined ? {} : { fingerprint }) }] as const;
  });
  return { external_urls: Object.fromEntries(links) };
}

export const remarkInputs = { ...linkInputs, annotations: optional(annotations) } as const;

/** The links and short remarks of a record; nothing if there are none. */
export function toRemarks(
  values: ValuesOf<typeof remarkInputs>,
): Pick<CommonAttestation, 'external_urls' | 'annotations'> {
  return {
    ...toExternalUrls(values),
    ...(values.annotations === undefined ? {} : { annotations: values.annotations }),
  };
}

/** The inputs of every operation that records an attestation. */
export const attestationInputs = {
  flow: required(flow),
  trail: optional(trail),
  fingerprint: optional(fingerprint),
  image: optional(image),
  description: optional(description),
  userData: optional(userData),
  files: optional(files),
  /** Whether wildcards and folders attach hidden files, and links are followed out of the workspace. */
  includeHiddenFiles: withDefault(flag('include-hidden-files'), false),
  ...remarkInputs,
  ...commitInputs,
  ...deliveryInputs,
} as const;

/** The name of the attestation: required, unless the operation has a default. */
export function attestationNameInput(defaultName: string | undefined): Use<string> {
  return defaultName === undefined ? required(attestationName) : withDefault(attestationName, defaultName);
}
