import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, fileTooLarge } from './errors.ts';
import { createPolicy } from './policy.ts';
import { reasons } from './reason.ts';
import { type Static, Type } from './schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

const previewedArtifact = Type.Object({
  name: Type.String(),
  fingerprint: Type.String(),
  compliant_before: Type.Boolean(),
  compliant_after: Type.Boolean(),
  fails_from: Type.Optional(
    Type.String({ description: 'The day in UTC from which a rule with `enforce_from` will break it: `2027-01-01`.' }),
  ),
  reasons,
  html_url: Type.Optional(Type.String()),
});

export type PreviewedArtifact = Static<typeof previewedArtifact>;

const verdict = Type.Union([Type.Boolean(), Type.Null()], { description: 'Null if there is nothing to judge.' });

const previewedEnvironment = Type.Object({
  name: Type.String(),
  compliant_before: verdict,
  compliant_after: verdict,
  artifact_count: count('How many artifacts run in it.'),
  changed_artifacts: count('How many of them change their verdict.'),
  failing_later: count('How many will be broken from a later day on.'),
  reasons,
  artifacts: Type.Array(previewedArtifact, { description: 'Those that change their verdict, now or later.' }),
  artifacts_left_out: count('How many of these are not listed.'),
  html_url: Type.Optional(Type.String()),
});

/** What a new version of a policy would change. */
const policyPreview = Type.Object({
  policy: Type.String(),
  present_version: Type.Optional(Type.Integer({ description: 'Absent if there is no such policy yet.' })),
  attached: Type.Boolean({ description: 'Whether it is attached to any environment.' }),
  changed_environments: count('How many environments change their verdict.'),
  changed_artifacts: count('The sum for all environments that were judged.'),
  failing_later: count('The sum for all environments that were judged.'),
  environments: Type.Array(previewedEnvironment),
  environments_left_out: count('How many were not judged, because it would have been too much at once.'),
});

export type PolicyPreview = Static<typeof policyPreview>;

/** Says what a new version of a policy would change. Stores nothing. */
export const previewPolicy = defineEndpoint('POST /policies/{org}/{policy_name}/preview', {
  title: 'Preview policy',
  body: createPolicy.body,
  repetition: { effect: 'safe' },
  success: [ok('What would change.', policyPreview)],
  errors: [...accessErrors, fileTooLarge],
});
