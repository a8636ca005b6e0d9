import { maximumNameLength } from './limits.ts';
import { Type } from './schema.ts';

/** A name that is one segment of a path. */
function name(what: string, pattern: string) {
  return Type.String({ pattern, maxLength: maximumNameLength, description: `The name of the ${what}.` });
}

/** The name of an organization. The interface only says "a string"; it is one path segment. */
export const orgName = name('organization', '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_~]*$');

/** The name of a flow (interface, Flow and Artifact). */
export const flowName = name('flow', '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_~]*$');

/** The name of a trail (interface, Artifact). */
export const trailName = name('trail', '^[a-zA-Z0-9][a-zA-Z0-9\\-_.~]*$');

/** The name of an artifact in its flow's template (interface, Artifact). */
export const templateReferenceName = Type.String({
  pattern: '^[a-zA-Z0-9\\-_]+$',
  maxLength: maximumNameLength,
  description: "The artifact's name in the template of its flow.",
});

/** A complete fingerprint: the SHA-256 of the artifact (interface, Artifact). */
export const fingerprint = Type.String({
  pattern: '^[a-f0-9]{64}$',
  description: 'The SHA-256 of the artifact, 64 lowercase hex digits.',
});

/**
 * Normalizes a fingerprint to the interface's form: container tools put `sha256:` in front, and Windows tools write
 * upper-case digits. A text that is not a fingerprint is returned unchanged.
 */
export function bareFingerprint(text: string): string {
  return /^(?:sha256:)?[a-f0-9]+$/iu.test(text) ? text.replace(/^sha256:/iu, '').toLowerCase() : text;
}

/** A fingerprint as it may appear in a path: complete, or its first digits (interface, operation 10). */
export const abbreviatedFingerprint = Type.String({
  pattern: '^[a-f0-9]{5,64}$',
  description: 'The fingerprint of the artifact, or at least its first 5 digits.',
});

/** The id of an artifact attestation (interface, operation 10); the last group has eight digits. */
export const attestationId = Type.String({
  pattern: '^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}$',
  description: 'The id of an artifact attestation.',
});

/** The SHA-1 of a git commit (interface, Artifact). */
export const commitSha = Type.String({
  pattern: '^[a-f0-9]{40}$',
  description: 'The SHA-1 of a git commit, 40 lowercase hex digits.',
});

/**
 * The name of an attestation: `unit`, or `web.unit` if it is about the artifact `web` of the template. The interface
 * shows no pattern; each half follows the pattern of template items, without the comma that separates names.
 */
export const attestationName = Type.String({
  pattern: '^[a-zA-Z0-9\\-_]+(\\.[a-zA-Z0-9\\-_]+)?$',
  maxLength: 2 * maximumNameLength + 1,
  description:
    'The name of the attestation; `web.unit` is the attestation `unit` of the artifact `web` of the template.',
});

/** What the name of a custom type consists of, as a pattern. */
export const customTypeWord = '[a-zA-Z0-9][a-zA-Z0-9.\\-_~]*';

/** The name of a custom type of attestations (read in the help of the public client). */
export const customTypeName = name('custom type', `^${customTypeWord}$`);

/** The name of an environment (interface, Environment). */
export const environmentName = name('environment', '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_]*$');

/** The name of a policy. The interface shows no pattern; it is the same as for an environment. */
export const policyName = name('policy', '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_]*$');

/** The name of a service account (interface, Service account). */
export const serviceAccountName = Type.String({
  pattern: '^[a-zA-Z0-9\\-]+$',
  maxLength: 64,
  description: 'The name of the service account, 1 to 64 characters.',
});

/** The name of a user. The interface shows no pattern; it is the same as for a service account. */
export const userName = Type.String({ pattern: '^[a-zA-Z0-9\\-]{1,64}$', description: 'The name of the user.' });

/** The public part of an API key. */
export const keyId = Type.String({ pattern: '^[a-zA-Z0-9]{4,64}$', description: 'The public part of the key.' });

/** The number of a notification as it appears in a path. */
export const notificationNumber = Type.String({
  pattern: '^[1-9][0-9]{0,8}$',
  description: 'The number of the notification.',
});

export const loginRuleName = Type.String({
  pattern: '^[a-zA-Z0-9][a-zA-Z0-9\\-_]{0,99}$',
  description: 'The name of the login rule.',
});

/** The parameters of paths, by name; those of a few paths are declared there. `name` is that of a service account. */
export const pathParameters = {
  org: orgName,
  flow_name: flowName,
  env_name: environmentName,
  policy_name: policyName,
  trail_name: trailName,
  fingerprint,
  commit_sha: commitSha,
  attestation_id: attestationId,
  attestation_name: attestationName,
  name: serviceAccountName,
  user: userName,
  key_id: keyId,
  type_name: customTypeName,
  notification_number: notificationNumber,
  position: Type.String({
    pattern: '^[0-9]{1,4}$',
    description: 'The position of the target, as its deliveries show it.',
  }),
  rule: loginRuleName,
  gate: Type.String({ pattern: '^[a-zA-Z0-9][a-zA-Z0-9\\-_]{0,99}$', description: 'The name of the gate.' }),
  digits: Type.String({
    pattern: '^[a-f0-9]{5,64}$',
    description: 'A fingerprint or the SHA-1 of a commit, or at least its first 5 digits.',
  }),
};

/** The key of a short remark. */
export const annotationKey = Type.String({ pattern: '^[A-Za-z0-9_]+$' });

/** The severities of findings, the worst first. */
export const severities = ['critical', 'high', 'medium', 'low'] as const;
