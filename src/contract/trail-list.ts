import { defineEndpoint, ok } from './endpoint.ts';
import { fingerprint, flowName, trailName } from './names.ts';
import { pagination } from './paging.ts';
import { strictObject, tolerant, Type } from './schema.ts';
import { complianceState } from './trail-reading.ts';

const trailPage = Type.Object({
  data: Type.Array(
    Type.Object({
      name: trailName,
      flow: flowName,
      description: Type.String(),
      compliance_state: complianceState,
      created_at: Type.Number({ description: 'Unix seconds.' }),
      html_url: Type.String(),
    }),
  ),
  pagination,
});

/** What a client requires of a list of trails: when the first one began. */
const datedTrails = Type.Object({
  data: Type.Array(Type.Object({ name: Type.String(), created_at: Type.Number() })),
  pagination,
});

/** The default number of trails on a page, and the maximum: each of them is judged. */
export const trailPageSizes = { default: 20, maximum: 100 } as const;

export const listTrails = defineEndpoint('GET /trails/{org}', {
  origin: 'observed',
  title: 'List trails',
  query: strictObject({
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: trailPageSizes.maximum })),
    flow: Type.Optional(flowName),
    fingerprint: Type.Optional(fingerprint),
    flow_tag: Type.Optional(Type.String({ description: 'Only trails of flows with this tag: `key` or `key=value`.' })),
  }),
  success: [ok('The trails of the page.', tolerant(trailPage, datedTrails))],
});
