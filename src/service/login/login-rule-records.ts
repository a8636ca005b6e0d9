import type { Grant } from '../account/access.ts';
import { defineStatements, either, isAnyOf, Repository } from '../platform/database/database.ts';
import { number, type Row, text } from '../platform/database/rows.ts';
import { type LoginRule, type LoginRuleDeclaration, toGrant } from './login-rule.ts';

const condition = (name: string): string => either(`conditions ->> '$.${name}'`, `conditions::json ->> '${name}'`);

const columns = 'name, conditions, created_at, created_by, last_modified_at';

const statements = defineStatements('login_rules', {
  find: `SELECT ${columns} FROM login_rules WHERE org = $1 AND name = $2`,
  list: `SELECT ${columns} FROM login_rules WHERE org = $1 ORDER BY name`,
  listRepositories: `SELECT coalesce(${condition('repository_id')}, ${condition('repositoryId')}) AS id FROM login_rules
    WHERE org = $1 AND ${condition('issuer')} = $2`,
  listNamed: `SELECT ${columns} FROM login_rules WHERE org = $1 AND ${isAnyOf('name', '$2')} ORDER BY name`,
  findTimes: `SELECT name, created_at FROM login_rules WHERE org = $1 AND ${isAnyOf('name', '$2')}`,
  save: `INSERT INTO login_rules (org, ${columns}) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (org, name) DO UPDATE SET conditions = excluded.conditions, created_at = excluded.created_at,
      created_by = excluded.created_by, last_modified_at = excluded.last_modified_at`,
  delete: 'DELETE FROM login_rules WHERE org = $1 AND name = $2',
});

export class LoginRuleReader extends Repository {
  find(org: string, name: string): Promise<LoginRule | undefined> {
    return this.queryFirst(statements.find, [org, name], toLoginRule);
  }

  /** The rules of the organization, sorted by name. */
  list(org: string): Promise<readonly LoginRule[]> {
    return this.queryAll(statements.list, [org], toLoginRule);
  }

  /** The repository of each rule that names the issuer; cheaper than reading the rules, which can be large. */
  listRepositoryIds(org: string, issuer: string): Promise<readonly string[]> {
    return this.queryAll(statements.listRepositories, [org, issuer], (row) => text(row, 'id'));
  }

  /** When each of the rules with these names was created, by name. */
  async findTimes(org: string, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.query(statements.findTimes, [org, names]);
    return new Map(rows.map((row) => [text(row, 'name'), number(row, 'created_at')]));
  }

  /** The grants of the rules with these names, sorted by name. */
  listGrants(org: string, names: readonly string[]): Promise<readonly Grant[]> {
    return this.queryAll(statements.listNamed, [org, names], (row) => toGrant(toLoginRule(row)));
  }
}

export class LoginRuleWriter extends LoginRuleReader {
  /** Inserts the rule, or replaces everything of an existing one. The organization must exist. */
  save(org: string, { name, created_at, created_by, last_modified_at, ...document }: LoginRule): Promise<void> {
    const values = [org, name, JSON.stringify(document), created_at, created_by, last_modified_at];
    return this.run(statements.save, values);
  }

  async delete(org: string, name: string): Promise<'deleted' | 'not found'> {
    return (await this.change(statements.delete, [org, name])) === 0 ? 'not found' : 'deleted';
  }
}

function toLoginRule(row: Row): LoginRule {
  return {
    ...toDeclaration(JSON.parse(text(row, 'conditions')) as object),
    name: text(row, 'name'),
    created_at: number(row, 'created_at'),
    created_by: text(row, 'created_by'),
    last_modified_at: number(row, 'last_modified_at'),
  };
}

/** Earlier versions wrote the names of the fields in camel case: `repositoryId`. */
function toDeclaration(stored: object): LoginRuleDeclaration {
  const toFieldName = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  const fields = Object.entries(stored).map(([name, value]: [string, unknown]) => [toFieldName(name), value]);
  // Written by this service.
  return Object.fromEntries(fields) as LoginRuleDeclaration;
}
