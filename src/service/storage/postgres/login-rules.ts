import type { LoginRule } from '../../domain/login-rule.ts';
import type { LoginRuleReader, LoginRuleWriter } from '../login-rules.ts';
import { optional } from '../rows.ts';
import { toLoginRule } from '../rows/login-rules.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

const columns = 'org, name, conditions, created_at, created_by, last_modified_at';

const statements = defineStatements('login_rules', {
  find: `SELECT ${columns} FROM login_rules WHERE org = $1 AND name = $2`,
  list: `SELECT ${columns} FROM login_rules WHERE org = $1 ORDER BY name`,
  save: `INSERT INTO login_rules (${columns}) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (org, name) DO UPDATE SET conditions = excluded.conditions, created_at = excluded.created_at,
      created_by = excluded.created_by, last_modified_at = excluded.last_modified_at`,
  delete: 'DELETE FROM login_rules WHERE org = $1 AND name = $2',
});

/** Login rules in PostgreSQL, for reading. */
export class PostgresLoginRuleReader implements LoginRuleReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async find(org: string, name: string): Promise<LoginRule | undefined> {
    const [row] = await this.session.query(statements.find, [org, name]);
    return optional(row, toLoginRule);
  }

  async list(org: string): Promise<readonly LoginRule[]> {
    return (await this.session.query(statements.list, [org])).map(toLoginRule);
  }
}

/** Login rules in PostgreSQL, for writing. */
export class PostgresLoginRuleWriter extends PostgresLoginRuleReader implements LoginRuleWriter {
  save({ org, name, createdAt, createdBy, lastModifiedAt, ...conditions }: LoginRule): Promise<void> {
    const values = [org, name, JSON.stringify(conditions), createdAt, createdBy, lastModifiedAt];
    return this.session.run(statements.save, values);
  }

  async delete(org: string, name: string): Promise<'deleted' | 'not found'> {
    return (await this.session.change(statements.delete, [org, name])) === 0 ? 'not found' : 'deleted';
  }
}
