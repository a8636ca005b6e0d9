import type { DatabaseSync } from 'node:sqlite';
import { accounts } from './migrations/accounts.ts';
import { base } from './migrations/base.ts';
import { environments } from './migrations/environments.ts';
import { notifications } from './migrations/notifications.ts';

/**
 * The steps that lead from an empty file to the tables of today, one script a version, never changed once released. SQLite's
 * `user_version` says how many were taken.
 *
 * The first column of every key is the organization. `sequence` counts within a flow, in the order of recording.
 * `current_evidence` and `bindings` are looked up by scope (`domain/binding.ts`), so that judging an artifact costs the same
 * however many attestations its flow holds.
 */
const steps: readonly string[] = [base, environments, accounts, notifications];

/**
 * Brings the tables up to date, each step in a transaction of its own.
 *
 * @throws Error where the file was written by a later version of the service.
 */
export function migrate(database: DatabaseSync): void {
  const taken = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (taken > steps.length) {
    throw new Error(
      `the database has version ${taken} and this service knows versions up to ${steps.length}; start a newer service`,
    );
  }
  for (const [index, step] of steps.entries()) {
    if (index >= taken) database.exec(`BEGIN IMMEDIATE; ${step}; PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
