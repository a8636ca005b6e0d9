import { defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, flowNotFound } from './errors.ts';
import { maximumTimestamp } from './limits.ts';
import { pageQuery } from './paging.ts';
import { proven } from './proven.ts';
import { reasons } from './reason.ts';
import { decisive, type Static, strictObject, tolerant, Type } from './schema.ts';

/** Who gave an attestation a verdict other than that of its evidence. */
const overrideMark = Type.Object({
  attestation_id: Type.String({ description: 'The original attestation.' }),
  was_compliant: Type.Boolean({ description: 'The verdict of the original.' }),
  by: Type.String(),
  reason: Type.String(),
  until: Type.Optional(Type.String({ description: 'The last day in UTC on which it counts.' })),
  sent: Type.Optional(Type.Unknown({ description: 'The override as it was sent.' })),
});

export type OverrideMark = Static<typeof overrideMark>;

/**
 * An attestation in a list (interface, Attestation). The interface shows neither the trail nor the artifact that an
 * attestation is about. `artifact_fingerprint` was observed when the public client reads a single attestation;
 * `trail_name` and `target_artifacts` are fields of this service, named as in an artifact and in a report.
 */
export const listedAttestation = Type.Object({
  attestation_id: Type.String(),
  attestation_name: decisive(Type.Optional(Type.String())),
  attestation_type: Type.Optional(Type.String({ description: 'For example `sonar` or `generic`.' })),
  trail_name: decisive(tolerant(Type.Optional(Type.String()), Type.Optional(Type.Union([Type.String(), Type.Null()])))),
  artifact_fingerprint: decisive(
    Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Null if it is not about one artifact.' })),
  ),
  target_artifacts: decisive(
    Type.Optional(
      Type.Union([Type.Array(Type.String()), Type.Null()], {
        description: "The artifacts of the flow's template that it is about, if it names no fingerprint.",
      }),
    ),
  ),
  created_at: decisive(Type.Optional(Type.Number({ description: 'Unix seconds, with fractions.' }))),
  sequence: decisive(
    Type.Optional(
      Type.Integer({ description: 'Counts the attestations of the flow in the order of recording, from 1.' }),
    ),
  ),
  description: Type.Optional(Type.String()),
  has_audit_package: Type.Optional(Type.Boolean()),
  html_url: decisive(tolerant(Type.Optional(Type.String()), Type.Optional(Type.Union([Type.String(), Type.Null()])))),
  is_compliant: decisive(
    tolerant(Type.Optional(Type.Boolean()), Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))),
  ),
  origin_url: Type.Optional(Type.String()),
  reported_by: Type.Optional(
    Type.String({ description: 'The name of a user, or `service-account:` and the name of a service account.' }),
  ),
  reasons: Type.Optional(reasons),
  schema_version: Type.Optional(Type.Integer()),
  user_data: Type.Optional(Type.Unknown()),
  proven: Type.Optional(proven),
  override: Type.Optional(overrideMark),
});

export type ListedAttestation = Static<typeof listedAttestation>;

/** A page of attestations (interface, the list response envelope). */
export const attestationPage = Type.Object({
  data: Type.Array(listedAttestation),
  _links: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: '`self`, `first`, `prev`, `next` and `last`.' }),
  ),
  pagination: Type.Object({
    total: Type.Integer(),
    page: Type.Integer(),
    per_page: Type.Optional(Type.Integer()),
    page_count: Type.Integer(),
  }),
});

export type AttestationPage = Static<typeof attestationPage>;

const timestamp = Type.Integer({ minimum: 0, maximum: maximumTimestamp });

export const listAttestations = defineEndpoint('GET /attestations/{org}/{flow_name}', {
  operation: 'list-attestations',
  number: 9,
  title: 'List flow attestations',
  query: strictObject({
    ...pageQuery,
    from_timestamp: Type.Optional(timestamp),
    to_timestamp: Type.Optional(timestamp),
  }),
  success: [ok('The attestations of the page.', attestationPage)],
  errors: [...accessErrors, flowNotFound],
});
