import { createEnvironment as endpoint } from '../contract/environment.ts';
import type { Problem } from '../runtime/failure.ts';
import { environment, environmentType, includedEnvironments, policies } from './inputs/environment-inputs.ts';
import { description } from './inputs/flow-inputs.ts';
import { optional, required } from './inputs/input.ts';
import { defineOperation, type UnsupportedInput } from './operation.ts';
import { fact } from './report.ts';

/** Operation 2: creates an environment, or updates it if it exists. */
export const createEnvironment = defineOperation({
  name: 'create-environment',
  endpoint,
  gate: 'ignore',
  inputs: {
    environment: required(environment),
    environmentType: required(environmentType),
    description: optional(description),
    includedEnvironments: optional(includedEnvironments),
    policies: optional(policies),
  },
  unsupported: deprecatedFields(),
  check: (values) => membersOfLogicalOnly(values.environmentType, values.includedEnvironments),
  async run(inputs, { client, org }) {
    const { environment: name, environmentType: type } = inputs;
    const included = unique(inputs.includedEnvironments);
    const attached = unique(inputs.policies);
    const answer = await client.call(endpoint, {
      parameters: { org },
      document: {
        name,
        type,
        ...(inputs.description === undefined ? {} : { description: inputs.description }),
        ...(included === undefined ? {} : { included_environments: included }),
        ...(attached === undefined ? {} : { policies: attached }),
      },
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
        ],
        tables: [],
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

/** Fields that the interface deprecates, as inputs that users may try, in both spellings. */
function deprecatedFields(): readonly UnsupportedInput[] {
  const fields = [
    {
      field: 'require_provenance',
      what: 'is deprecated by the service',
      remedy:
        'Remove it. Create a policy with `artifacts.provenance.required: true` (`create-policy`), and name it in `policy`.',
    },
    {
      field: 'include_scaling',
      what: 'is deprecated by the service and has no effect: scaling events are no longer recorded',
      remedy: 'Remove it. There is no replacement.',
    },
  ];
  return fields.flatMap(({ field, ...text }) =>
    [field.replaceAll('_', '-'), field].map((name): UnsupportedInput => ({ name, ...text })),
  );
}
