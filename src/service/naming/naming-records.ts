import { defineStatements, Repository } from '../platform/database/database.ts';

export type NamedKind = 'flow' | 'environment' | 'policy';

export interface NamedReference {
  readonly org: string;
  readonly kind: NamedKind;
  readonly name: string;
}

const forEachKind = (toSql: (table: string) => string): Readonly<Record<NamedKind, string>> => ({
  flow: toSql('flows'),
  environment: toSql('environments'),
  policy: toSql('policies'),
});

const find = defineStatements(
  'naming_find',
  forEachKind((table) => `SELECT archived_at FROM ${table} WHERE org = $1 AND name = $2`),
);
const archive = defineStatements(
  'naming_archive',
  forEachKind((table) => `UPDATE ${table} SET archived_at = coalesce(archived_at, $3) WHERE org = $1 AND name = $2`),
);

/** The names of flows, environments and policies, and whether they are archived. */
export class NamingReader extends Repository {
  async exists({ org, kind, name }: NamedReference): Promise<boolean> {
    return (await this.query(find[kind], [org, name])).length > 0;
  }

  async isArchived({ org, kind, name }: NamedReference): Promise<boolean> {
    const [row] = await this.query(find[kind], [org, name]);
    return row !== undefined && row['archived_at'] !== null;
  }
}

export class NamingWriter extends NamingReader {
  /** Archives it, unless it is archived. It must exist. */
  archive({ org, kind, name }: NamedReference, at: number): Promise<void> {
    return this.run(archive[kind], [org, name, at]);
  }
}
