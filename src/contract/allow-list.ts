import { created, defineEndpoint, jsonDocument, ok } from './endpoint.ts';
import { accessErrors, additionErrors, namedEnvironmentNotFound } from './errors.ts';
import { maximumAllowedArtifacts } from './limits.ts';
import { fingerprint } from './names.ts';
import { Type } from './schema.ts';
import { lineText } from './text-fields.ts';

export const allowArtifact = defineEndpoint('PUT /allowlists/{org}/{env_name}', {
  origin: 'observed',
  title: 'Allow artifact in environment',
  body: jsonDocument({
    artifact_fingerprint: fingerprint,
    artifact_name: lineText(),
    description: lineText({ description: 'Why it is allowed.' }),
  }),
  repetition: { effect: 'idempotent' },
  success: [
    created('The artifact is allowed from now on.'),
    ok('It was allowed already; its name and description are replaced.'),
  ],
  errors: [...additionErrors, namedEnvironmentNotFound],
});

const allowedArtifact = Type.Object({
  artifact_fingerprint: Type.String(),
  artifact_name: Type.String(),
  description: Type.String(),
  created_by: Type.String({ description: 'Who allowed it, or last changed its description.' }),
  created_at: Type.Number({ description: 'Unix seconds.' }),
});

export const listAllowedArtifacts = defineEndpoint('GET /allowlists/{org}/{env_name}', {
  title: 'List allowed artifacts of environment',
  success: [
    ok(`The allowed artifacts, at most ${maximumAllowedArtifacts}, the latest first.`, Type.Array(allowedArtifact)),
  ],
  errors: [...accessErrors, namedEnvironmentNotFound],
});

export const artifactNotAllowed = {
  status: 404,
  message: "Artifact with fingerprint '{fingerprint}' does not exist in the allow-list of environment '{environment}'",
  when: 'The artifact is not allowed.',
} as const;

export const disallowArtifact = defineEndpoint('DELETE /allowlists/{org}/{env_name}/{fingerprint}', {
  title: 'Disallow artifact in environment',
  repetition: { effect: 'idempotent' },
  success: [ok('The artifact is judged like others again.')],
  errors: [...accessErrors, namedEnvironmentNotFound, artifactNotAllowed],
});
