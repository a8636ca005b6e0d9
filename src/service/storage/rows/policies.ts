import type { PolicyEvent, PolicyEventType, PolicyRecord, PolicyVersion } from '../../domain/policy/policy-record.ts';
import type { AttachedRules, KeyedPolicyVersion } from '../policies.ts';
import { number, text, type Row } from '../rows.ts';

/** The history of a policy, which is read separately. */
export type PolicyHistory = Pick<PolicyRecord, 'versions' | 'events'>;

/** Converts a row of `policies` with the sorted names of its `environments`, a list in JSON. */
export function toPolicy(row: Row, history: PolicyHistory): PolicyRecord {
  return {
    org: text(row, 'org'),
    name: text(row, 'name'),
    description: text(row, 'description'),
    createdAt: number(row, 'created_at'),
    createdBy: text(row, 'created_by'),
    lastModifiedAt: number(row, 'last_modified_at'),
    // A list of names, which the database made.
    environments: JSON.parse(text(row, 'environments')) as readonly string[],
    ...history,
  };
}

/**
 * Converts a row of `policy_versions` that was added by a request with an idempotency key, with `policy_created_at` and
 * `policy_created_by` of its policy.
 *
 * @param history as it was after the request
 */
export function toKeyedPolicyVersion(row: Row, history: PolicyHistory): KeyedPolicyVersion {
  const policy: PolicyRecord = {
    org: text(row, 'org'),
    name: text(row, 'policy'),
    description: text(row, 'answered_description'),
    createdAt: number(row, 'policy_created_at'),
    createdBy: text(row, 'policy_created_by'),
    lastModifiedAt: number(row, 'created_at'),
    // A list of names, which the database made.
    environments: JSON.parse(text(row, 'answered_environments')) as readonly string[],
    ...history,
  };
  return { digest: text(row, 'request_digest'), version: number(row, 'version'), policy };
}

/**
 * Converts a row of `policy_versions`.
 *
 * @param uploaded the policy as it was uploaded; undefined if it is not read
 */
export function toPolicyVersion(row: Row, uploaded: string | undefined): PolicyVersion {
  return {
    version: number(row, 'version'),
    comment: text(row, 'comment'),
    createdAt: number(row, 'created_at'),
    createdBy: text(row, 'created_by'),
    text: uploaded,
  };
}

const eventTypes: readonly PolicyEventType[] = [
  'policy_created',
  'policy_updated',
  'policy_attached',
  'policy_detached',
];

/** Converts a row to an event in the history of a policy. */
export function toPolicyEvent(row: Row): PolicyEvent {
  const type = eventTypes.find((known) => known === row['type']);
  if (type === undefined) throw new TypeError('a stored event of a policy is damaged');
  const environment = row['environment'] === null ? {} : { environment: text(row, 'environment') };
  const [timestamp, user, version] = [number(row, 'timestamp'), text(row, 'user'), number(row, 'version')];
  return { type, timestamp, user, version, ...environment };
}

/** Converts a row with `policy`, `version` and `rules` of a policy's latest version. */
export function toAttachedRules(row: Row): AttachedRules {
  return { name: text(row, 'policy'), version: number(row, 'version'), rules: text(row, 'rules') };
}
