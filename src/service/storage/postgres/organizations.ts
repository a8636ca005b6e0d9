import type { OrganizationReader, OrganizationWriter } from '../organizations.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

const statements = defineStatements('organizations', {
  exists: 'SELECT 1 FROM organizations WHERE org = $1',
  insert: 'INSERT INTO organizations (org, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
});

/** Organizations in PostgreSQL, for reading. */
export class PostgresOrganizationReader implements OrganizationReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async exists(org: string): Promise<boolean> {
    return (await this.session.query(statements.exists, [org])).length > 0;
  }
}

/** Organizations in PostgreSQL, for writing. */
export class PostgresOrganizationWriter extends PostgresOrganizationReader implements OrganizationWriter {
  async insert(org: string, createdAt: number): Promise<'inserted' | 'exists'> {
    return (await this.session.change(statements.insert, [org, createdAt])) === 0 ? 'exists' : 'inserted';
  }
}
