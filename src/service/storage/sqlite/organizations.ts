import type { OrganizationReader, OrganizationWriter } from '../organizations.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const reading = {
  find: 'SELECT 1 FROM organizations WHERE org = ?',
} as const;

const writing = {
  insert: 'INSERT INTO organizations (org, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
} as const;

/** Organizations in SQLite, for reading. */
export class SqliteOrganizationReader implements OrganizationReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  exists(org: string): Promise<boolean> {
    return this.session.execute(() => this.#statements.find.get(org) !== undefined);
  }
}

/** Organizations in SQLite, for writing. */
export class SqliteOrganizationWriter extends SqliteOrganizationReader implements OrganizationWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  insert(org: string, createdAt: number): Promise<'inserted' | 'exists'> {
    return this.session.execute(() =>
      this.#statements.insert.run(org, createdAt).changes === 0 ? 'exists' : 'inserted',
    );
  }
}
