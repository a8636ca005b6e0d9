import { defineStatements, Repository } from '../platform/database/database.ts';
import { text } from '../platform/database/rows.ts';

const statements = defineStatements('organizations', {
  exists: 'SELECT 1 FROM organizations WHERE org = $1',
  list: 'SELECT org FROM organizations WHERE org > $1 ORDER BY org',
  insert: 'INSERT INTO organizations (org, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
});

export class OrganizationReader extends Repository {
  async exists(org: string): Promise<boolean> {
    return (await this.query(statements.exists, [org])).length > 0;
  }

  list(): Promise<readonly string[]> {
    return this.queryAll(statements.list, [''], (row) => text(row, 'org'));
  }
}

export class OrganizationWriter extends OrganizationReader {
  async insert(org: string, createdAt: number): Promise<'inserted' | 'exists'> {
    return (await this.change(statements.insert, [org, createdAt])) === 0 ? 'exists' : 'inserted';
  }
}
