import { createFlow as endpoint } from '../contract/flow.ts';
import { description, flow, repoUrl, template, visibility } from './inputs/flow-inputs.ts';
import { optional, required } from './inputs/input.ts';
import { defineOperation } from './operation.ts';
import { fact } from './report.ts';
import { toRequestEffect } from './request-effect.ts';

/** Operation 1: creates a flow, or updates it if it exists. */
export const createFlow = defineOperation({
  name: 'create-flow',
  endpoint,
  gate: 'ignore',
  inputs: {
    flow: required(flow),
    description: required(description),
    template: required(template),
    visibility: optional(visibility),
    repoUrl: optional(repoUrl),
  },
  async run(inputs, { client, org }) {
    const answer = await client.call(endpoint, {
      parameters: { org },
      document: {
        name: inputs.flow,
        description: inputs.description,
        template: [...inputs.template],
        ...(inputs.visibility === undefined ? {} : { visibility: inputs.visibility }),
        ...(inputs.repoUrl === undefined ? {} : { repo_url: inputs.repoUrl }),
      },
    });
    const state = toRequestEffect(answer, { created: 'created', otherwise: 'updated' });
    const action = state ?? 'created or updated';
    return {
      outcome: 'done',
      state,
      conclusion: `Flow ${inputs.flow} was ${action} in organization ${org}.`,
      response: answer.body,
      report: {
        subject: `Flow ${inputs.flow}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Flow', `${inputs.flow} (${action})`),
          ...fact('Description', inputs.description),
          ...fact('Visibility', inputs.visibility),
          ...fact('Template', inputs.template.join(', ')),
          ...fact('Repository', inputs.repoUrl, inputs.repoUrl),
        ],
        tables: [],
      },
    };
  },
});
