import { defineStatements, Repository, type Statement } from '../platform/database/database.ts';

/** What can be archived. */
export type NamedKind = 'flow' | 'environment' | 'policy';

const statements = defineStatements('naming', {
  isArchivedFlow: 'SELECT archived_at FROM flows WHERE org = $1 AND name = $2 AND archived_at IS NOT NULL',
  isArchivedEnvironment:
    'SELECT archived_at FROM environments WHERE org = $1 AND name = $2 AND archived_at IS NOT NULL',
  archiveFlow: 'UPDATE flows SET archived_at = coalesce(archived_at, $3) WHERE org = $1 AND name = $2',
  archiveEnvironment: 'UPDATE environments SET archived_at = coalesce(archived_at, $3) WHERE org = $1 AND name = $2',
  archivePolicy: 'UPDATE policies SET archived_at = coalesce(archived_at, $3) WHERE org = $1 AND name = $2',
});

const archiveStatements: Readonly<Record<NamedKind, Statement>> = {
  flow: statements.archiveFlow,
  environment: statements.archiveEnvironment,
  policy: statements.archivePolicy,
};

/** The names of flows, environments and policies, and whether they are archived. */
export class NamingReader extends Repository {
  async isArchived(org: string, kind: 'flow' | 'environment', name: string): Promise<boolean> {
    const statement = kind === 'flow' ? statements.isArchivedFlow : statements.isArchivedEnvironment;
    return (await this.database.query(statement, [org, name])).length > 0;
  }
}

export class NamingWriter extends NamingReader {
  /** Archives it, unless it is archived. It must exist. */
  archive(org: string, kind: NamedKind, name: string, at: number): Promise<void> {
    return this.database.run(archiveStatements[kind], [org, name, at]);
  }
}
