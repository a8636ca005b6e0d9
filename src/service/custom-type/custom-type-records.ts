import { defineStatements, Repository } from '../platform/database/database.ts';
import { column, flag, number, optionalJson, text, toRecord } from '../platform/database/rows.ts';
import type { CustomType, CustomTypeDefinition, CustomTypeVersion } from './custom-type.ts';

export interface NewCustomTypeVersion extends CustomTypeVersion {
  readonly org: string;
  readonly name: string;
  /** Unchanged if undefined; empty for a new type. */
  readonly description: string | undefined;
  readonly definition: CustomTypeDefinition;
}

const listHeads = 'SELECT org, name, description, archived FROM custom_types WHERE org = $1';

/** The newest versions have their definitions, up to `$3` bytes for each type. */
const listVersions = `SELECT name, version, created_at, created_by,
    CASE WHEN sum(octet_length(definition)) OVER (PARTITION BY name ORDER BY version DESC) <= $3 THEN definition END
      AS definition
  FROM custom_type_versions WHERE org = $1 AND ($2::text IS NULL OR name = $2)`;

const statements = defineStatements('custom_types', {
  find: `${listHeads} AND name = $2`,
  list: `${listHeads} AND archived = 0 ORDER BY name`,
  listVersions: `${listVersions} ORDER BY version`,
  findVersion: `SELECT name, version, created_at, created_by, definition FROM custom_type_versions
    WHERE org = $1 AND name = $2
      AND version = coalesce($3::bigint, (SELECT max(version) FROM custom_type_versions WHERE org = $1 AND name = $2))`,
  count: 'SELECT count(*) AS count FROM custom_types WHERE org = $1',
  save: `INSERT INTO custom_types (org, name, description, archived) VALUES ($1, $2, coalesce($3::text, ''), 0)
    ON CONFLICT (org, name) DO UPDATE SET description = coalesce($3::text, custom_types.description), archived = 0`,
  insertVersion: `INSERT INTO custom_type_versions (org, name, version, definition, created_at, created_by)
    VALUES ($1, $2, $3, $4, $5, $6)`,
  archive: 'UPDATE custom_types SET archived = 1 WHERE org = $1 AND name = $2',
});

/** How many bytes of definitions are read with the versions of a type. */
const maximumReadBytes = 1024 * 1024;

type Head = Omit<CustomType, 'versions'>;

export class CustomTypeReader extends Repository {
  findHead(org: string, name: string): Promise<Head | undefined> {
    return this.queryFirst(statements.find, [org, name], toHead);
  }

  /** The versions of a type; the newest have their definitions. */
  listVersions(org: string, name: string): Promise<readonly CustomTypeVersion[]> {
    return this.queryAll(statements.listVersions, [org, name, maximumReadBytes], toVersion);
  }

  /** Those that are not archived, sorted by name, without definitions. */
  async list(org: string): Promise<readonly CustomType[]> {
    const heads = await this.queryAll(statements.list, [org], toHead);
    const rows = await this.query(statements.listVersions, [org, null, 0]);
    const versions = Map.groupBy(rows, (row) => text(row, 'name'));
    return heads.map((head) => ({ ...head, versions: (versions.get(head.name) ?? []).map(toVersion) }));
  }

  /** Finds a version with its definition; the latest if no number is given. */
  findVersion(org: string, name: string, version?: number): Promise<CustomTypeVersion | undefined> {
    return this.queryFirst(statements.findVersion, [org, name, version ?? null], toVersion);
  }

  /** The number of types, with those that are archived. */
  count(org: string): Promise<number> {
    return this.queryNumber(statements.count, [org], 'count');
  }
}

export class CustomTypeWriter extends CustomTypeReader {
  /** Inserts the version as the latest one. Version 1 creates the type. The type is no longer archived. */
  async insertVersion(added: NewCustomTypeVersion): Promise<void> {
    const { org, name, description = null, version, definition, createdAt, createdBy } = added;
    await this.run(statements.save, [org, name, description]);
    const values = [org, name, version, JSON.stringify(definition), createdAt, createdBy];
    await this.run(statements.insertVersion, values);
  }

  archive(org: string, name: string): Promise<void> {
    return this.run(statements.archive, [org, name]);
  }
}

const toHead = toRecord<Head>({ org: text, name: text, description: text, isArchived: column('archived', flag) });

const toVersion = toRecord<CustomTypeVersion>({
  ...{ version: number, createdAt: number, createdBy: text, definition: optionalJson },
});
