import type { GithubGate } from '../../contract/github-gate.ts';
import { defineStatements, either, Repository } from '../platform/database/database.ts';
import { number, type Row, text, toRecord } from '../platform/database/rows.ts';
import type { GateDeclaration } from './gate.ts';

const columns = 'name, document, created_at, created_by, last_modified_at';

const statements = defineStatements('github_gates', {
  find: `SELECT ${columns} FROM github_gates WHERE org = $1 AND name = $2`,
  list: `SELECT ${columns} FROM github_gates WHERE org = $1 ORDER BY name`,
  findOfRepository: `SELECT ${columns} FROM github_gates WHERE org = $1 AND ${either(
    "EXISTS (SELECT 1 FROM json_each(document, '$.repositories') r WHERE r.value = $2)",
    "document::jsonb -> 'repositories' ? $2::text",
  )}`,
  save: `INSERT INTO github_gates (org, ${columns}) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (org, name) DO UPDATE SET document = excluded.document, last_modified_at = excluded.last_modified_at`,
  delete: 'DELETE FROM github_gates WHERE org = $1 AND name = $2',
});

export class GateReader extends Repository {
  find(org: string, name: string): Promise<GithubGate | undefined> {
    return this.queryFirst(statements.find, [org, name], toGate);
  }

  /** The gates of the organization, sorted by name. */
  list(org: string): Promise<readonly GithubGate[]> {
    return this.queryAll(statements.list, [org], toGate);
  }

  findOfRepository(org: string, repositoryId: string): Promise<GithubGate | undefined> {
    return this.queryFirst(statements.findOfRepository, [org, repositoryId], toGate);
  }
}

export class GateWriter extends GateReader {
  /** Inserts the gate, or replaces what an admin declared. The organization must exist. */
  save(org: string, { name, created_at, created_by, last_modified_at, ...document }: GithubGate): Promise<void> {
    const values = [org, name, JSON.stringify(document), created_at, created_by, last_modified_at];
    return this.run(statements.save, values);
  }

  async delete(org: string, name: string): Promise<'deleted' | 'not found'> {
    return (await this.change(statements.delete, [org, name])) === 0 ? 'not found' : 'deleted';
  }
}

const toHead = toRecord<Omit<GithubGate, keyof GateDeclaration>>({
  ...{ name: text, created_at: number, created_by: text, last_modified_at: number },
});

function toGate(row: Row): GithubGate {
  // Written by this service.
  return { ...toHead(row), ...(JSON.parse(text(row, 'document')) as GateDeclaration) };
}
