import { defineEndpoint, ok } from './endpoint.ts';
import { pageQuery, pagination, spanQuery } from './paging.ts';
import { strictObject, Type } from './schema.ts';

/** What the audit log records. */
export const auditEventTypes = [
  'key_created',
  'key_rotated',
  'key_revoked',
  'key_first_used',
  'login',
  'login_refused',
  'login_rule_saved',
  'login_rule_deleted',
  'github_gate_saved',
  'github_gate_deleted',
  'member_saved',
  'member_removed',
  'service_account_created',
  'service_account_updated',
  'service_account_deleted',
  'authentication_failed',
  'flow_created',
  'flow_changed',
  'trail_template_changed',
  'policy_created',
  'policy_updated',
  'policy_attached',
  'policy_detached',
  'provenance_requirement_changed',
  'artifact_allowed',
  'artifact_disallowed',
  'tags_changed',
  'archived',
  'restored',
  'attestation_overridden',
  'attachment_removed',
  'attestation_type_saved',
  'attestation_type_archived',
  'renamed',
] as const;

/** What an event of the audit log is about. */
export type AuditEventType = (typeof auditEventTypes)[number];

const auditEvent = Type.Object({
  number: Type.Integer({ description: 'Counts the events of the organization, from 1.' }),
  type: Type.Enum(auditEventTypes),
  timestamp: Type.Number({ description: 'Unix seconds.' }),
  actor: Type.String({
    description:
      'Who did it: a user, `service-account:<name>`, `workflow:<owner>/<repository>`, `operator`, or `unknown` if an authentication failed.',
  }),
  subject: Type.String({
    description: 'What it was done to: `key <id>`, `member <name>`, `login rule <name>`, `flow <name>`, …',
  }),
  details: Type.Record(Type.String(), Type.String(), { description: 'More about it, without secrets.' }),
});

const part = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));

export const listAuditEvents = defineEndpoint('GET /organizations/{org}/audit-log', {
  title: 'List audit events',
  query: strictObject({
    ...pageQuery,
    type: Type.Optional(Type.Enum(auditEventTypes, { description: 'Only events of this type.' })),
    actor: part('A part of the name of the actor.'),
    subject: part('A part of the name of the subject.'),
    ...spanQuery,
  }),
  success: [ok('The events of the page, the latest first.', Type.Object({ data: Type.Array(auditEvent), pagination }))],
});
