import { image } from './artifact-inputs.ts';
import { deliveryInputs } from './delivery-inputs.ts';
import { commitSha, files, githubToken, includeHiddenFiles, redactCommitInfo, userData } from './evidence-inputs.ts';
import { attestationName, description, fingerprint, flow, trail } from './flow-inputs.ts';
import { optional, required, withDefault, type Use } from './input.ts';

/** The inputs that say which commit the evidence is about. */
export const commitInputs = {
  commitSha: optional(commitSha),
  redactCommitInfo: withDefault(redactCommitInfo, []),
  githubToken: optional(githubToken),
} as const;

/** The inputs of every operation that records an attestation. */
export const attestationInputs = {
  flow: required(flow),
  trail: optional(trail),
  fingerprint: optional(fingerprint),
  image: optional(image),
  description: optional(description),
  userData: optional(userData),
  files: optional(files),
  includeHiddenFiles: withDefault(includeHiddenFiles, false),
  ...commitInputs,
  ...deliveryInputs,
} as const;

/** The name of the attestation: required, unless the operation has a default. */
export function attestationNameInput(defaultName: string | undefined): Use<string> {
  return defaultName === undefined ? required(attestationName) : withDefault(attestationName, defaultName);
}
