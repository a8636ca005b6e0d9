import { environmentKinds } from '../../../contract/environment.ts';
import type { Environment, EnvironmentOverview } from '../../domain/environment/snapshot.ts';
import type { EnvironmentHead } from '../environments.ts';
import { number, optionalNumber, text, type Row } from '../rows.ts';

/** Converts a row of `environments` to the core fields. */
export function toEnvironmentHead(row: Row): EnvironmentHead {
  const kind = environmentKinds.find((known) => known === row['kind']);
  if (kind === undefined) throw new TypeError('a stored environment is damaged');
  return {
    org: text(row, 'org'),
    name: text(row, 'name'),
    kind,
    latest: number(row, 'latest'),
    requiresProvenance: number(row, 'requires_provenance') === 1,
  };
}

/** Converts a row of `environments` with the sorted names of its `members` and `policies`, each a list in JSON. */
export function toEnvironment(row: Row): Environment {
  return {
    ...toEnvironmentHead(row),
    description: text(row, 'description'),
    createdAt: number(row, 'created_at'),
    lastModifiedAt: number(row, 'last_modified_at'),
    // Lists of names, which the database made.
    members: JSON.parse(text(row, 'members')) as readonly string[],
    policies: JSON.parse(text(row, 'policies')) as readonly string[],
  };
}

/**
 * Converts a row with the columns of `toEnvironment`, `compliant` and `changed_at` of the latest snapshot, and
 * `reported_at`.
 */
export function toEnvironmentOverview(row: Row): EnvironmentOverview {
  return {
    ...toEnvironment(row),
    compliant: row['compliant'] === null ? null : number(row, 'compliant') === 1,
    lastReportedAt: optionalNumber(row, 'reported_at'),
    lastChangedAt: optionalNumber(row, 'changed_at'),
  };
}
