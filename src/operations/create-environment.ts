import { createEnvironment as endpoint, environmentKinds } from '../contract/environment.ts';
import type { Problem } from '../runtime/failure.ts';
import { omitUndefined } from '../runtime/omit-undefined.ts';
import { environment, includedEnvironments, policies } from './inputs/environment-inputs.ts';
import { description } from './inputs/flow-inputs.ts';
import { optional, required } from './inputs/input.ts';
import { flag, oneOf } from './inputs/input-types.ts';
import { defineOperation } from './operation.ts';
import { fact } from './report.ts';

/** Operation 2: creates an environment, or updates it if it exists. */
export const createEnvironment = defineOperation({
  name: 'create-environment',
  endpoint,
  gate: 'ignore',
  inputs: {
    environment: required(environment),
    environmentType: required(oneOf('environment-type', environmentKinds)),
    description: optional(description),
    includedEnvironments: optional(includedEnvironments),
    policies: optional(policies),
    /** Whether the environment requires provenance, besides its policies. */
    requireProvenance: optional(flag('require-provenance')),
  },
  unsupported: ['include-scaling', 'include_scaling'].map((name) => ({
    name,
    what: 'is deprecated by the service and has no effect: scaling events are no longer recorded',
    remedy: 'Remove it. There is no replacement.',
  })),
  check: (values) => membersOfLogicalOnly(values.environmentType, values.includedEnvironments),
  async run(inputs, { client, org }) {
    const { environment: name, environmentType: type } = inputs;
    const included = unique(inputs.includedEnvironments);
    const attached = unique(inputs.policies);
    const { requireProvenance: required } = inputs;
    const answer = await client.call(endpoint, {
      parameters: { org },
      document: omitUndefined({
        name,
        type,
        description: inputs.description,
        included_environments: included,
        policies: attached,
        require_provenance: required,
      }),
    });
    return {
      outcome: 'done',
      // The answer is the same for both.
      conclusion: `Environment ${name} of type ${type} was created or updated in organization ${org}.`,
      response: answer.body,
      report: {
        subject: `Environment ${name}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Environment', name),
          ...fact('Type', type),
          ...fact('Description', inputs.description),
          ...fact('Included environments', included?.join(', ')),
          ...fact('Policies', attached?.join(', ')),
          ...fact('Requires provenance', required === undefined ? undefined : required ? 'yes' : 'no'),
        ],
      },
    };
  },
});

function unique(names: readonly string[] | undefined): string[] | undefined {
  return names === undefined ? undefined : [...new Set(names)];
}

/** Only a logical environment has members (interface, Environment). */
function membersOfLogicalOnly(type: string, included: readonly string[] | undefined): readonly Problem[] {
  if (included === undefined || type === 'logical') return [];
  return [
    {
      input: 'included-environments',
      what: `\`included-environments\` is given, but an environment of type ${type} has no members`,
      remedy: 'Remove `included-environments`, or write `environment-type: logical`.',
    },
  ];
}
