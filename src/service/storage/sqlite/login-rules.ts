import type { LoginRule } from '../../domain/login-rule.ts';
import type { LoginRuleReader, LoginRuleWriter } from '../login-rules.ts';
import { optional } from '../rows.ts';
import { toLoginRule } from '../rows/login-rules.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const reading = {
  find: 'SELECT * FROM login_rules WHERE org = ? AND name = ?',
  list: 'SELECT * FROM login_rules WHERE org = ? ORDER BY name',
} as const;

const writing = {
  save: `INSERT INTO login_rules (org, name, conditions, created_at, created_by, last_modified_at)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET conditions = excluded.conditions,
      created_at = excluded.created_at, created_by = excluded.created_by, last_modified_at = excluded.last_modified_at`,
  delete: 'DELETE FROM login_rules WHERE org = ? AND name = ?',
} as const;

/** Login rules in SQLite, for reading. */
export class SqliteLoginRuleReader implements LoginRuleReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  find(org: string, name: string): Promise<LoginRule | undefined> {
    return this.session.execute(() => optional(this.#statements.find.get(org, name), toLoginRule));
  }

  list(org: string): Promise<readonly LoginRule[]> {
    return this.session.execute(() => this.#statements.list.all(org).map(toLoginRule));
  }
}

/** Login rules in SQLite, for writing. */
export class SqliteLoginRuleWriter extends SqliteLoginRuleReader implements LoginRuleWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  save({ org, name, createdAt, createdBy, lastModifiedAt, ...conditions }: LoginRule): Promise<void> {
    const values = [org, name, JSON.stringify(conditions), createdAt, createdBy, lastModifiedAt];
    return this.session.execute(() => {
      this.#statements.save.run(...values);
    });
  }

  delete(org: string, name: string): Promise<'deleted' | 'not found'> {
    return this.session.execute(() => (this.#statements.delete.run(org, name).changes === 0 ? 'not found' : 'deleted'));
  }
}
