import { gitCommitInfo, repoInfo } from '../commit.ts';
import { type FieldPath, idempotencyDataKey } from '../idempotency.ts';
import { maximumTargets } from '../limits.ts';
import { annotationKey, attestationName, fingerprint, templateReferenceName } from '../names.ts';
import { type Static, strictObject, type TObject, type TProperties, Type } from '../schema.ts';
import { addressText, lineText, longText } from '../text-fields.ts';

/**
 * The key of `user_data` that says when the action gathered the evidence, in ISO 8601 with milliseconds. After an outage
 * it is recorded later. The user's own data must not contain the key.
 */
export const gatheredAtKey = 'gathered_at';

/**
 * The key of `user_data` with the digests of the files that the action read the evidence from, if they were too large to
 * be attached.
 */
export const unattachedFilesKey = 'unattached_files';

/**
 * The key of `user_data` with the step's own rule for the evidence, which the service judges by. The user's own data
 * must not contain it.
 */
export const ruleDataKey = 'rule';

/** Links to other systems by label, each optionally with the fingerprint of what it links to (observed on the wire). */
export const externalUrls = Type.Record(
  Type.String(),
  strictObject({ href: addressText(), fingerprint: Type.Optional(fingerprint) }),
);

export const count = Type.Integer({ minimum: 0 });

/** Short remarks by key (observed on the wire). */
export const annotations = Type.Record(annotationKey, lineText());

/**
 * The fields of `data_json` that all kinds of attestations have (interface, Sonar attestation JSON part; the fields
 * after `user_data` were observed on the wire).
 */
export const attestationFields = {
  attestation_name: attestationName,
  git_commit_info: Type.Optional(gitCommitInfo),
  user_data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  artifact_fingerprint: Type.Optional(fingerprint),
  target_artifacts: Type.Optional(Type.Array(templateReferenceName, { maxItems: maximumTargets })),
  repo_info: Type.Optional(repoInfo),
  external_urls: Type.Optional(externalUrls),
  origin_url: Type.Optional(addressText()),
  description: Type.Optional(longText()),
  annotations: Type.Optional(annotations),
} as const;

/** What every kind of attestation says about itself. */
export type CommonAttestation = Static<TObject<typeof attestationFields>>;

/** The JSON part of one kind of attestation: the common fields and its own. */
export function attestationDocument<const Own extends TProperties>(own: Own): TObject<typeof attestationFields & Own> {
  return strictObject({ ...attestationFields, ...own });
}

/**
 * The fields of an attestation that differ although it says the same: they name the attempt of the run that sends it or
 * who started it, or say when it was gathered.
 */
export const volatileFields: readonly FieldPath[] = [
  ['origin_url'],
  ['user_data', 'github', 'run_attempt'],
  ['user_data', 'github', 'triggering_actor'],
  ['user_data', gatheredAtKey],
  ['user_data', idempotencyDataKey],
];
