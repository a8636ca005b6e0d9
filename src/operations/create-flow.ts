import type { EndpointResult } from '../client/endpoint-call.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { createFlow as endpoint, templateItem } from '../contract/flow.ts';
import { createFlowFromFile } from '../contract/flow-template.ts';
import { omitUndefined } from '../runtime/omit-undefined.ts';
import { description, flow, templateFile } from './inputs/flow-inputs.ts';
import { optional, required, type ValuesOf } from './inputs/input.ts';
import { httpUrl, lines, oneOf, schemaText } from './inputs/input-types.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { fact } from './report.ts';
import { toRequestEffect } from './request-effect.ts';

const inputs = {
  flow: required(flow),
  description: required(description),
  /** The attestations that artifacts of a flow must have, one per line. */
  template: optional(
    lines(
      schemaText(
        'template',
        templateItem,
        'names of evidence, one per line: letters, digits, `-` and `_`',
        'Write one name a line, without spaces.',
      ),
    ),
  ),
  templateFile: optional(templateFile),
  visibility: optional(oneOf('visibility', ['public', 'private'])),
  repoUrl: optional(
    httpUrl(
      'repo-url',
      "Use the URL of the repository's page.",
      'Remove everything up to the `@`, because the URL is stored where others can read it.',
    ),
  ),
} as const;

type Values = ValuesOf<typeof inputs>;

/** Operation 1: creates a flow, or updates it if it exists; with a template file, by the endpoint for it. */
export const createFlow = defineOperation({
  name: 'create-flow',
  endpoint,
  gate: 'ignore',
  inputs,
  check: ({ template: list, templateFile: path }) => {
    if ((list === undefined) !== (path === undefined)) return [];
    return [
      {
        input: 'template',
        what: list === undefined ? '`template` is missing' : '`template` and `template-file` exclude each other',
        remedy:
          'Set `template-file` to the path of a template, or `template` to the names of the evidence that every artifact needs.',
      },
    ];
  },
  async run(values, context) {
    const { org } = context;
    const answer = await send(values, context);
    const state = toRequestEffect(answer, { created: 'created', otherwise: 'updated' });
    const action = state ?? 'created or updated';
    const page = context.client.pageUrl(org, 'flows', values.flow);
    return {
      outcome: 'done',
      state,
      conclusion: `Flow ${values.flow} was ${action} in organization ${org}.`,
      response: answer.body,
      htmlUrl: page,
      report: {
        subject: `Flow ${values.flow}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Flow', `${values.flow} (${action})`, page),
          ...fact('Description', values.description),
          ...fact('Visibility', values.visibility),
          ...fact('Template', values.templateFile ?? values.template?.join(', ')),
          ...fact('Repository', values.repoUrl, values.repoUrl),
        ],
      },
    };
  },
});

async function send(values: Values, context: OperationContext): Promise<EndpointResult<Endpoint>> {
  const { client, org, workspace } = context;
  const parameters = { org };
  const document = omitUndefined({
    name: values.flow,
    description: values.description,
    visibility: values.visibility,
    repo_url: values.repoUrl,
  });
  if (values.templateFile === undefined) {
    return client.call(endpoint, { parameters, document: { ...document, template: [...(values.template ?? [])] } });
  }
  // Only flows with a file need it.
  const { prepareTemplateFile } = await import(/* webpackChunkName: 'attest' */ '../evidence/template-file.ts');
  const file = await prepareTemplateFile(values.templateFile, workspace);
  return client.call(createFlowFromFile, { parameters, document, file });
}
