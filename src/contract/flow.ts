import { archivedField, archivedQuery } from './archive.ts';
import { created, defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, additionErrors, namedFlowNotFound } from './errors.ts';
import { maximumTemplateNames, maximumTextLength } from './limits.ts';
import { flowName, orgName } from './names.ts';
import { pageQuery, pagination } from './paging.ts';
import { type Static, strictObject, Type } from './schema.ts';
import { tagFilter, tags } from './tags.ts';
import { addressText, lineText, longText } from './text-fields.ts';

/** One item of a flow's template (interface, Flow). A comma separates several names. */
export const templateItem = Type.String({
  pattern: '^[a-zA-Z0-9\\-_,]+$',
  maxLength: maximumTextLength,
  description: 'The name of a piece of evidence that every artifact of the flow must have.',
});

/** Who may see a flow. Stored without effect: `public` does not give another organization access. */
export const visibility = Type.Union([Type.Literal('public'), Type.Literal('private')]);

/** The flow as it is created or updated (interface, Flow). */
export const flowPayload = strictObject({
  name: flowName,
  description: longText(),
  visibility: Type.Optional(Type.Union([visibility, Type.Null()])),
  template: Type.Array(templateItem, { maxItems: maximumTemplateNames }),
  repo_url: Type.Optional(Type.Union([addressText(), Type.Null()])),
});

export type FlowPayload = Static<typeof flowPayload>;

export const createFlow = defineEndpoint('PUT /flows/{org}', {
  operation: 'create-flow',
  number: 1,
  title: 'Create or update flow',
  body: { kind: 'json', schema: flowPayload },
  repetition: { effect: 'idempotent' },
  success: [created('The flow was created.'), ok('The flow was updated.')],
  errors: additionErrors,
  authentication: ['bearer', 'basic'],
  deprecated:
    'The interface marks this operation as deprecated; send a template file instead (`PUT /flows/{org}/template_file`, the input `template-file`).',
});

const flowFields = {
  name: flowName,
  org: orgName,
  description: Type.String(),
  visibility,
  tags,
  archived: archivedField,
} as const;

/** A stored flow as the service returns it. */
export const flow = Type.Object({
  ...flowFields,
  template: Type.Union([Type.Array(Type.String()), Type.String()], {
    description: 'The list of operation 1, or the text of the template file.',
  }),
  repo_url: Type.Optional(Type.String()),
});

export const getFlow = defineEndpoint('GET /flows/{org}/{flow_name}', {
  origin: 'observed',
  title: 'Get flow',
  success: [ok('The flow.', flow)],
  errors: [...accessErrors, namedFlowNotFound],
});

const flowSummary = Type.Object(flowFields);

export type FlowSummary = Static<typeof flowSummary>;

export const listFlows = defineEndpoint('GET /flows/{org}', {
  origin: 'observed',
  title: 'List flows',
  query: strictObject({
    ...pageQuery,
    ...archivedQuery,
    search_by_name: Type.Optional(lineText({ description: 'A part of the name.' })),
    tag: tagFilter('Only flows with all of these tags, `key` or `key:value`; may be repeated.'),
    case_sensitive: Type.Optional(Type.Boolean({ description: 'Default: true.' })),
  }),
  success: [
    ok(
      'All flows, sorted by name; or a page of them, if `page` or `per_page` is sent.',
      Type.Union([
        Type.Array(flowSummary),
        Type.Object({
          data: Type.Array(flowSummary),
          pagination,
        }),
      ]),
    ),
  ],
});
