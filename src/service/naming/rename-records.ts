import { defineStatements, either, isAnyOf, Repository, type Statement } from '../platform/database/database.ts';
import { oneOf, text, toRecord } from '../platform/database/rows.ts';

export type RenamedKind = 'flow' | 'environment';

export interface Rename {
  readonly org: string;
  readonly kind: RenamedKind;
  readonly from: string;
  readonly to: string;
}

/** A name that a flow or environment had, and the name that it has now. */
export interface FormerName {
  readonly kind: RenamedKind;
  readonly former: string;
  readonly name: string;
}

/**
 * The columns with the names of flows and environments, each after those that refer to it. SQLite has no index that finds
 * the rows of `setAside` by the record that they refer to, and would read all of them for each renamed attestation. So they
 * get an empty name first, and the new name last.
 */
export const renamedColumns = {
  setAside: ['bindings.flow', 'current_evidence.flow', 'limited_evidence.flow', 'recorder_evidence.flow'],
  flow: [
    ...['attestations.flow', 'artifacts.flow', 'trail_templates.flow', 'trail_updates.flow', 'trails.flow'],
    ...['github_answers.flow', 'log_entries.flow', 'flows.name'],
  ],
  environment: [
    ...['environment_members.environment', 'environment_members.member', 'environment_policies.environment'],
    ...['snapshots.environment', 'pending_snapshots.environment', 'environment_reports.environment'],
    ...['appearances.environment', 'allowed_artifacts.environment', 'policy_events.environment'],
    ...['notification_subjects.environment', 'log_entries.environment', 'environments.name'],
  ],
} as const;

const position = either('instr', 'strpos');
const logical = "environment IN (SELECT name FROM environments WHERE org = $1 AND kind = 'logical')";

/** The JSON with names of environments, and which rows have it. A name has no character that JSON escapes. */
const quotedEnvironments = [
  ['notifications.environments', ''],
  ['attestations.counts_for', 'AND counts_for IS NOT NULL'],
  ['artifacts.counts_for', 'AND counts_for IS NOT NULL'],
  ['limited_evidence.counts_for', ''],
] as const;

function rename(column: string): string {
  const [table = '', name = ''] = column.split('.');
  return `UPDATE ${table} SET ${name} = $3 WHERE org = $1 AND ${name} = $2`;
}

function replaceText([column, rows]: readonly [string, string]): string {
  const [table = '', name = ''] = column.split('.');
  return `UPDATE ${table} SET ${name} = replace(${name}, $2, $3) WHERE org = $1 ${rows} AND ${position}(${name}, $2) > 0`;
}

/** The statements by their texts: `0`, `1`, … */
const listed = (group: string, texts: readonly string[]): readonly Statement[] =>
  Object.values(defineStatements(`rename_${group}`, Object.fromEntries(texts.map((each, index) => [index, each]))));

const setAside = listed('set_aside', renamedColumns.setAside.map(rename));
const renames = {
  flow: listed('flow', renamedColumns.flow.map(rename)),
  environment: listed('environment', renamedColumns.environment.map(rename)),
};
const replaceQuoted = listed('quoted', quotedEnvironments.map(replaceText));

const limited = (table: string, condition: string): string =>
  `(SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE org = $1 AND ${condition} LIMIT $3) AS counted)`;

const statements = defineStatements('rename', {
  deferChecks: either('PRAGMA defer_foreign_keys = ON', 'SET CONSTRAINTS ALL DEFERRED'),
  countOfFlow: `SELECT ${limited('trails', 'flow = $2')} + ${limited('attestations', 'flow = $2')}
    + ${limited('artifacts', 'flow = $2')} + ${limited('snapshots', 'compliant = 0')} AS count`,
  countOfEnvironment: `SELECT ${limited('snapshots', `(environment = $2 OR ${logical})`)}
    + ${limited('appearances', 'environment = $2')} AS count`,
  replaceInReasons: replaceText(['snapshots.judgement', 'AND compliant = 0']),
  replaceInContent: replaceText(['snapshots.content', `AND ${logical}`]),
  // Lists of environments that become equal would have two latest records.
  deleteOlderEvidence: `DELETE FROM limited_evidence WHERE org = $1 AND EXISTS (SELECT 1 FROM limited_evidence o
    WHERE o.org = limited_evidence.org AND o.flow = limited_evidence.flow AND o.scope = limited_evidence.scope
      AND o.name = limited_evidence.name AND o.sequence > limited_evidence.sequence
      AND replace(o.counts_for, $2, $3) = replace(limited_evidence.counts_for, $2, $3))`,
  listFormer: `SELECT n.kind, n.former, n.name FROM former_names n WHERE n.org = $1 AND ${isAnyOf('n.former', '$2')}
    AND NOT EXISTS (SELECT 1 FROM flows f WHERE n.kind = 'flow' AND f.org = n.org AND f.name = n.former)
    AND NOT EXISTS (SELECT 1 FROM environments e WHERE n.kind = 'environment' AND e.org = n.org AND e.name = n.former)`,
  renameMemberEntries: `UPDATE log_entries SET record = $3 WHERE org = $1 AND record = $2
    AND kind IN ('environment member', 'environment member removed')`,
  updateFormer: 'UPDATE former_names SET name = $4 WHERE org = $1 AND kind = $2 AND name = $3',
  deleteFormer: 'DELETE FROM former_names WHERE org = $1 AND kind = $2 AND former = $3',
  saveFormer: `INSERT INTO former_names (org, kind, former, name) VALUES ($1, $2, $3, $4)
    ON CONFLICT (org, kind, former) DO UPDATE SET name = excluded.name`,
});

export class RenameReader extends Repository {
  /** The flows and environments that had these names, unless another one has the name now. */
  listFormer(org: string, names: readonly string[]): Promise<readonly FormerName[]> {
    return this.queryAll(statements.listFormer, [org, names], toFormerName);
  }

  /** About how many records a rename would change; may stop to count at the limit. */
  countRecords({ org, kind, from }: Omit<Rename, 'to'>, limit: number): Promise<number> {
    const statement = kind === 'flow' ? statements.countOfFlow : statements.countOfEnvironment;
    return this.queryNumber(statement, [org, from, limit], 'count');
  }
}

export class RenameWriter extends RenameReader {
  /** Renames a flow or environment in all records but login rules and the audit log. The new name must be free. */
  async rename({ org, kind, from, to }: Rename): Promise<void> {
    await this.run(statements.deferChecks, []);
    if (kind === 'flow') await this.#runAll(setAside, [org, from, '']);
    else await this.run(statements.deleteOlderEvidence, [org, quote(from), quote(to)]);
    await this.#runAll(renames[kind], [org, from, to]);
    if (kind === 'flow') await this.#runAll(setAside, [org, '', to]);
    else await this.#runAll(replaceQuoted, [org, quote(from), quote(to)]);
    const field = kind === 'flow' ? 'flow' : 'member';
    await this.run(statements.replaceInReasons, [org, toJsonField(field, from), toJsonField(field, to)]);
    if (kind === 'environment') {
      const values = [org, toJsonField(kind, from), toJsonField(kind, to)];
      await this.run(statements.replaceInContent, values);
      await this.run(statements.renameMemberEntries, [org, from, to]);
    }
    await this.#saveFormer({ org, kind, from, to });
  }

  async #runAll(all: readonly Statement[], values: readonly string[]): Promise<void> {
    for (const statement of all) await this.run(statement, values);
  }

  async #saveFormer({ org, kind, from, to }: Rename): Promise<void> {
    await this.run(statements.updateFormer, [org, kind, from, to]);
    await this.run(statements.deleteFormer, [org, kind, to]);
    await this.run(statements.saveFormer, [org, kind, from, to]);
  }
}

const quote = (name: string): string => JSON.stringify(name);

const toJsonField = (field: string, name: string): string => `${quote(field)}:${quote(name)}`;

const toFormerName = toRecord<FormerName>({ kind: oneOf(['flow', 'environment']), former: text, name: text });
