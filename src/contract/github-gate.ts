import { created, defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, additionErrors } from './errors.ts';
import { environmentName, flowName } from './names.ts';
import { type Static, strictObject, Type, withRule } from './schema.ts';

/** The maximum number of gates of an organization: each event of GitHub looks for the one of its repository. */
export const maximumGithubGates = 100;

const maximumDocument = 64 * 1024;

/** The repositories that are judged by some flows, and how. */
export const githubGateDocument = strictObject({
  installation_id: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "The app's installation at GitHub, which the operator must have given to the organization.",
  }),
  repositories: Type.Array(
    withRule(
      Type.String({ pattern: '^[1-9][0-9]{0,15}$' }),
      "must be the repository's number at GitHub, as a text of digits",
    ),
    { minItems: 1, maxItems: 1000, description: "The repositories' numbers at GitHub. Each belongs to one gate." },
  ),
  flows: Type.Array(flowName, {
    minItems: 1,
    maxItems: 20,
    description: 'The flows whose trails are shown as checks. Each belongs to one gate.',
  }),
  environments: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 255 }), environmentName, {
      description: "GitHub's environments, each with the environment whose policies judge deployments to it.",
    }),
  ),
  wait: Type.Optional(
    withRule(
      Type.String({
        pattern: '^[1-9][0-9]{0,2}[mh]$',
        description: 'How long a deployment waits for what is missing, before it is rejected. Default: `30m`.',
      }),
      'must be a time such as 30m or 2h',
    ),
  ),
});

export type GithubGateDocument = Static<typeof githubGateDocument>;

/** A gate, with defaults. */
export const githubGate = Type.Object({
  name: Type.String(),
  installation_id: Type.Integer(),
  repositories: Type.Array(Type.String()),
  flows: Type.Array(Type.String()),
  environments: Type.Record(Type.String(), Type.String()),
  wait: Type.String(),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  created_by: Type.String(),
  last_modified_at: Type.Number({ description: 'Unix seconds.' }),
});

export type GithubGate = Static<typeof githubGate>;

export const githubGateNotFound = {
  status: 404,
  message: "GitHub gate '{gate}' does not exist in organization '{org}'",
  when: 'The organization has no gate of that name.',
} as const;

export const githubGateOverlaps = {
  status: 409,
  message: "The {kind} '{member}' belongs to the gate '{gate}'; remove it there first",
  when: 'A repository or a flow of the gate belongs to another gate of the organization.',
} as const;

export const githubAppMissing = {
  status: 409,
  message: 'The service has no GitHub App; its operator must register one and start the service with --github-app-id',
  when: 'The operator has not configured a GitHub App.',
} as const;

export const githubInstallationForeign = {
  status: 409,
  message:
    "The installation {installation} does not belong to organization '{org}'; the operator of the service must start it with --github-installation {org}={installation}",
  when: 'The operator has not given this installation of the app to the organization.',
} as const;

export const saveGithubGate = defineEndpoint('PUT /organizations/{org}/github-gates/{gate}', {
  title: 'Create or replace GitHub gate',
  body: { kind: 'json', schema: githubGateDocument, maximumBytes: maximumDocument },
  repetition: { effect: 'idempotent' },
  success: [created('The gate was created.', githubGate), ok('The gate was replaced.', githubGate)],
  errors: [...additionErrors, githubAppMissing, githubInstallationForeign, githubGateOverlaps],
});

export const listGithubGates = defineEndpoint('GET /organizations/{org}/github-gates', {
  title: 'List GitHub gates',
  success: [ok('All gates, sorted by name.', Type.Array(githubGate))],
});

export const getGithubGate = defineEndpoint('GET /organizations/{org}/github-gates/{gate}', {
  title: 'Get GitHub gate',
  success: [ok('The gate.', githubGate)],
  errors: [...accessErrors, githubGateNotFound],
});

/** Its checks stay as they are, and deployments that are waiting are rejected. */
export const deleteGithubGate = defineEndpoint('DELETE /organizations/{org}/github-gates/{gate}', {
  title: 'Delete GitHub gate',
  repetition: { effect: 'idempotent' },
  success: [ok('The gate was deleted.', Type.Literal('deleted'))],
  errors: [...accessErrors, githubGateNotFound],
});
