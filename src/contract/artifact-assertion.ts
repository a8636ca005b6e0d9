import { artifactNotFound } from './artifact.ts';
import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, namedEnvironmentNotFound, namedFlowNotFound } from './errors.ts';
import { maximumPolicies } from './limits.ts';
import { environmentName, flowName, policyName } from './names.ts';
import { policyMissing } from './policy.ts';
import { reasons } from './reason.ts';
import { decisive, type Static, strictObject, Type } from './schema.ts';

/** What an artifact is judged by: its flows, the policies of an environment, or given policies. */
export type AssertionScope = 'flow' | 'environment' | 'policy';

/** Why an artifact breaks a rule of a policy (read in the public client). */
export type ResolutionType =
  'missing_attestation' | 'non_compliant_attestation' | 'non_compliant_in_trail' | 'legacy_flow';

const resolution = Type.Object({
  type: Type.String({
    description: '`missing_attestation`, `non_compliant_attestation`, `non_compliant_in_trail` or `legacy_flow`.',
  }),
  context: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: '`reason`: what is missing, in words.' }),
  ),
});

const ruleEvaluation = Type.Object({
  rule: Type.Optional(
    Type.Object({
      definition: Type.Object({ name: Type.Optional(Type.String()), type: Type.Optional(Type.String()) }),
    }),
  ),
  satisfied: Type.Boolean(),
  ignored: Type.Boolean({ description: 'Whether a condition exempts the artifact from the rule.' }),
  resolutions: Type.Optional(Type.Array(resolution, { description: 'Why the rule is broken; empty if it is not.' })),
});

/** The verdict of one policy on an artifact, rule by rule. */
const assertedPolicy = Type.Object({
  policy_name: Type.String(),
  policy_version: Type.Optional(Type.Integer()),
  status: Type.String({ description: '`COMPLIANT` or `NON-COMPLIANT`.' }),
  status_info: Type.Optional(Type.String({ description: 'Why the policy could not be applied.' })),
  rule_evaluations: Type.Optional(Type.Array(ruleEvaluation)),
});

export type AssertedPolicy = Static<typeof assertedPolicy>;

/** An attestation that is required, reported, or both, as in a trail's answer; but a client requires less of it. */
const assertedAttestation = Type.Object({
  attestation_name: Type.String(),
  attestation_type: Type.Optional(Type.String({ description: '`*` if it is missing and may be of any type.' })),
  attestation_id: Type.Optional(Type.String()),
  status: Type.String({ description: '`COMPLETE` or `MISSING`.' }),
  is_compliant: Type.Optional(
    Type.Union([Type.Boolean(), Type.Null()], { description: 'False or null if it is missing.' }),
  ),
  unexpected: Type.Optional(Type.Boolean({ description: 'Whether the template does not require it.' })),
});

const artifactInFlow = Type.Object({
  flow: Type.String(),
  trail: Type.Optional(Type.String()),
  state: Type.Optional(Type.String({ description: '`COMPLIANT`, `NON-COMPLIANT` or `INCOMPLETE`.' })),
  state_info: Type.Optional(Type.String({ description: 'Why the artifact is in this state, in words.' })),
  html_url: Type.Optional(Type.String()),
  compliance_status: Type.Object({ attestations_statuses: Type.Array(assertedAttestation) }),
});

/**
 * The verdict on an artifact. A client requires only what the verdict rests on: the rest is shown, and its form was read
 * in the public client or is ours.
 */
const artifactAssertion = Type.Object({
  compliant: Type.Boolean(),
  scope: Type.String({ description: '`flow`, `environment` or `policy`.' }),
  compliant_info: Type.Optional(Type.String({ description: 'The verdict and the reason for it, in words.' })),
  reasons: Type.Optional(reasons),
  fingerprint: decisive(Type.Optional(Type.String())),
  environment: decisive(Type.Optional(Type.String())),
  policy_evaluations: Type.Optional(Type.Array(assertedPolicy)),
  flows: Type.Optional(Type.Array(artifactInFlow)),
  html_url: Type.Optional(Type.String()),
});

export type ArtifactAssertion = Static<typeof artifactAssertion>;

export const artifactUnknown = {
  status: 404,
  message: "Artifact with fingerprint '{fingerprint}' does not exist in organization '{org}'",
  when: 'No flow of the organization has an artifact with that fingerprint.',
} as const;

/** Judges an artifact by its flows, by the policies of an environment, or by given policies. */
export const assertArtifact = defineEndpoint('GET /asserts/{org}/fingerprint/{fingerprint}', {
  operation: 'assert-artifact',
  origin: 'observed',
  title: 'Assert artifact',
  query: strictObject({
    flow_name: Type.Optional(flowName),
    environment_name: Type.Optional(environmentName),
    policy_name: Type.Optional(Type.Array(policyName, { maxItems: maximumPolicies })),
  }),
  success: [ok('The verdict, whether compliant or not.', artifactAssertion)],
  errors: [
    ...accessErrors,
    namedFlowNotFound,
    artifactUnknown,
    artifactNotFound,
    namedEnvironmentNotFound,
    policyMissing,
  ],
});
