import { defineStatements, Repository } from '../platform/database/database.ts';

const statements = defineStatements('organizations', {
  exists: 'SELECT 1 FROM organizations WHERE org = $1',
  insert: 'INSERT INTO organizations (org, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
});

export class OrganizationReader extends Repository {
  async exists(org: string): Promise<boolean> {
    return (await this.database.query(statements.exists, [org])).length > 0;
  }
}

export class OrganizationWriter extends OrganizationReader {
  async insert(org: string, createdAt: number): Promise<'inserted' | 'exists'> {
    return (await this.database.change(statements.insert, [org, createdAt])) === 0 ? 'exists' : 'inserted';
  }
}
