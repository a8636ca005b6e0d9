import { created, defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, additionErrors } from './errors.ts';
import { environmentName, flowName } from './names.ts';
import { type Static, strictObject, Type, withRule } from './schema.ts';
import { addressText, lineText } from './text-fields.ts';

/** The issuer of the identity tokens of github.com (GitHub's documentation, "OpenID Connect reference"). */
export const githubIssuer = 'https://token.actions.githubusercontent.com';

/** The roles that a login can give. Not `admin`: a workflow that could create stored keys would defeat the purpose. */
const loginRoles = ['member', 'snapshotter', 'reader'] as const;

/** The events on which a run has the code of a pull request. */
export const pullRequestEvents = ['pull_request', 'pull_request_review', 'pull_request_review_comment'] as const;

/**
 * What a rule permits, apart from reading and reporting: to record artifacts, evidence and trails; to define what they are
 * judged by: flows, templates, policies and their attachment.
 */
export const rulePermissions = ['record', 'define'] as const;

export type RulePermission = (typeof rulePermissions)[number];

/** Stands for all environments in `counts_for_environments`. */
export const allEnvironments = '*';

/** The maximum number of login rules of an organization: each login compares its run with all of them. */
export const maximumLoginRules = 500;

/**
 * The maximum length of all login rules of an organization together, as JSON, in characters: each login reads them before
 * its token is checked, and anybody can try to log in.
 */
export const maximumLoginRulesLength = 1_000_000;

/** The maximum number of entries in each list of a rule. */
const maximumEntries = 100;

/** A ref with at most one `*` in each segment, and `**` only as the last segment, so that comparing is linear. */
const refPattern = String.raw`^refs(?:(?:/(?:[^*\s/]+(?:\*[^*\s/]*)?|\*[^*\s/]*))+(?:/\*\*)?|/\*\*)$`;

const refRule =
  'must begin with refs/, such as refs/heads/main; * at most once between two slashes, and ** only after the last one';
const eventRule = 'must be the name of an event, such as push';
const workflowRule = 'must begin with .github/workflows/, and have no @ and no space';

const jobWorkflowPattern = '^[^@*\\s]+/\\.github/workflows/[^@*\\s]+@(?:refs/(?:heads|tags)/[^*\\s]+|[a-f0-9]{40})$';
const jobWorkflowRule =
  'must be owner/name/.github/workflows/file@ref, as in the claim job_workflow_ref, with the whole ref of a branch or tag, or a commit; without *';

const entries = { minItems: 1, maxItems: maximumEntries };

/** Which workflow runs a rule admits, and what they may do. */
export const loginRuleDocument = strictObject({
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  issuer: Type.Optional(
    withRule(
      addressText({
        pattern: '^https?://[^\\s?#@]+$',
        description: `The issuer of the tokens, exactly as in their claim \`iss\`. Default: ${githubIssuer}.`,
      }),
      'must be an http(s) URL without a user, query or fragment',
    ),
  ),
  repository: withRule(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+$',
      maxLength: 200,
      description: '`owner/name`. A renamed repository needs a changed rule.',
    }),
    'must be owner/name, such as acme/web',
  ),
  repository_id: withRule(
    Type.String({
      pattern: '^[1-9][0-9]{0,19}$',
      description: "The repository's number at GitHub, which a new repository of the same name does not have.",
    }),
    "must be the repository's number at GitHub, as a text of digits",
  ),
  refs: Type.Array(withRule(Type.String({ pattern: refPattern, maxLength: 1000 }), refRule), {
    ...entries,
    description:
      'Full refs such as `refs/heads/main`. `*` (once between two slashes) stands for any characters but `/`, and `/**` at the end for anything.',
  }),
  events: Type.Array(withRule(Type.String({ pattern: '^[a-z_]+$', maxLength: 100 }), eventRule), {
    ...entries,
    description: 'Names of events, such as `push`. None is implied, `pull_request_target` neither.',
  }),
  workflows: Type.Optional(
    Type.Array(withRule(Type.String({ pattern: '^\\.github/workflows/[^@\\s]+$', maxLength: 1000 }), workflowRule), {
      ...entries,
      description: 'Files of workflows of this repository: `.github/workflows/ci.yml`. Default: any.',
    }),
  ),
  job_workflow_ref: Type.Optional(
    withRule(
      lineText({
        pattern: jobWorkflowPattern,
        description:
          'The workflow that has the job, with its ref, exactly as in the claim of that name: `acme/ci/.github/workflows/deploy.yml@refs/heads/main`. Default: any.',
      }),
      jobWorkflowRule,
    ),
  ),
  runner_environment: Type.Optional(
    lineText({
      minLength: 1,
      description: 'The kind of the runner: `github-hosted` or `self-hosted`. Default: any.',
    }),
  ),
  repository_owner_id: Type.Optional(
    withRule(
      Type.String({
        pattern: '^[1-9][0-9]{0,19}$',
        description: "The number of the repository's owner at GitHub. Default: any.",
      }),
      "must be the owner's number at GitHub, as a text of digits",
    ),
  ),
  job_environments: Type.Optional(
    Type.Array(lineText({ minLength: 1 }), {
      ...entries,
      description: "The job's `environment:` at GitHub. Default: any or none.",
    }),
  ),
  actors: Type.Optional(
    Type.Array(lineText({ minLength: 1 }), {
      ...entries,
      description: 'Names of the users who started the run. Default: anybody.',
    }),
  ),
  private_pull_requests: Type.Optional(
    Type.Boolean({
      description:
        'Admits events of pull requests of a repository that is not public. True means: the repository does not send write tokens to workflows from pull requests of forks. Default: false.',
    }),
  ),
  role: Type.Enum(loginRoles),
  flows: Type.Optional(
    Type.Array(flowName, {
      maxItems: maximumEntries,
      description: 'Limits the key to these flows. Default: all, or none if `environments` is given.',
    }),
  ),
  environments: Type.Optional(
    Type.Array(environmentName, {
      maxItems: maximumEntries,
      description:
        'Limits the key to these environments of the organization. Default: all, or none if `flows` is given.',
    }),
  ),
  commits: Type.Optional(
    Type.Literal('any', {
      description:
        'Requirements with `from` also take evidence of commits other than that of the run. Only with `events: [workflow_run]`: these run on the default branch for the commit of another run.',
    }),
  ),
  permissions: Type.Optional(
    Type.Array(Type.Enum(rulePermissions), {
      maxItems: rulePermissions.length,
      description:
        'What the key may do besides what its role may read and report. `record`: artifacts, evidence, and trails without a template. `define`, besides `record`: flows, templates of flows and trails, policies and their attachment; never with the key of a pull request. Default: `record`.',
    }),
  ),
  counts_for_environments: Type.Optional(
    Type.Array(Type.Union([environmentName, Type.Literal(allEnvironments)]), {
      maxItems: maximumEntries,
      description:
        'The environments for whose verdicts counts what is recorded with the key, or `*` for all. It always counts for its trail and flow. Default: none if `events` has one of pull requests, else `*`.',
    }),
  ),
});

export type LoginRuleDocument = Static<typeof loginRuleDocument>;

export const loginRule = Type.Object({
  name: Type.String(),
  ...loginRuleDocument.properties,
  issuer: Type.String(),
  permissions: Type.Array(Type.Enum(rulePermissions)),
  counts_for_environments: Type.Array(Type.String(), { description: 'Names of environments, or `*` for all.' }),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  created_by: Type.String(),
  last_modified_at: Type.Number({ description: 'Unix seconds.' }),
});

export type LoginRuleResponse = Static<typeof loginRule>;

export const loginRuleNotFound = {
  status: 404,
  message: "Login rule '{rule}' does not exist in organization '{org}'",
  when: 'The organization has no login rule of that name.',
} as const;

export const saveLoginRule = defineEndpoint('PUT /organizations/{org}/login-rules/{rule}', {
  title: 'Create or replace login rule',
  body: { kind: 'json', schema: loginRuleDocument },
  repetition: { effect: 'idempotent' },
  success: [created('The rule was created.', loginRule), ok('The rule was replaced.', loginRule)],
  errors: additionErrors,
});

export const listLoginRules = defineEndpoint('GET /organizations/{org}/login-rules', {
  title: 'List login rules',
  success: [ok('All rules, sorted by name.', Type.Array(loginRule))],
});

/** Delete a login rule, and revoke the keys that it gave. */
export const deleteLoginRule = defineEndpoint('DELETE /organizations/{org}/login-rules/{rule}', {
  title: 'Delete login rule',
  repetition: { effect: 'idempotent' },
  success: [ok('The rule was deleted.', Type.Literal('deleted'))],
  errors: [...accessErrors, loginRuleNotFound],
});
