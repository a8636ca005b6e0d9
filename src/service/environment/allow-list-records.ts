import { defineStatements, isAnyOf, Repository } from '../platform/database/database.ts';
import { column, number, text, toRecord } from '../platform/database/rows.ts';

/** An artifact that complies with all policies of an environment, because somebody allowed it there. */
export interface AllowedArtifact {
  readonly org: string;
  readonly environment: string;
  readonly fingerprint: string;
  readonly name: string;
  readonly reason: string;
  readonly by: string;
  /** In Unix seconds. */
  readonly at: number;
}

const columns = 'org, environment, fingerprint, name, reason, allowed_by, allowed_at';

const statements = defineStatements('allow_list', {
  list: `SELECT ${columns} FROM allowed_artifacts WHERE org = $1 AND environment = $2
    ORDER BY allowed_at DESC, fingerprint`,
  listAmong: `SELECT ${columns} FROM allowed_artifacts
    WHERE org = $1 AND environment = $2 AND ${isAnyOf('fingerprint', '$3')}`,
  save: `INSERT INTO allowed_artifacts (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (org, environment, fingerprint) DO UPDATE SET name = excluded.name, reason = excluded.reason,
      allowed_by = excluded.allowed_by, allowed_at = excluded.allowed_at`,
  delete: 'DELETE FROM allowed_artifacts WHERE org = $1 AND environment = $2 AND fingerprint = $3',
});

export class AllowListReader extends Repository {
  /** All artifacts that are allowed in an environment, the latest first. */
  list(org: string, environment: string): Promise<readonly AllowedArtifact[]> {
    return this.queryAll(statements.list, [org, environment], toAllowedArtifact);
  }

  /** Whether the artifact is allowed in the environment; never without one. */
  async isAllowed({
    org,
    environment,
    fingerprint,
  }: Pick<AllowedArtifact, 'org' | 'fingerprint'> & { readonly environment: string | undefined }): Promise<boolean> {
    return environment !== undefined && (await this.findAmong(org, environment, [fingerprint])).has(fingerprint);
  }

  /** The allowed artifacts among these, by fingerprint. */
  async findAmong(
    org: string,
    environment: string,
    fingerprints: readonly string[],
  ): Promise<ReadonlyMap<string, AllowedArtifact>> {
    const found = await this.queryAll(statements.listAmong, [org, environment, fingerprints], toAllowedArtifact);
    return new Map(found.map((artifact) => [artifact.fingerprint, artifact]));
  }
}

export class AllowListWriter extends AllowListReader {
  /** Inserts or replaces it. The environment must exist. */
  save({ org, environment, fingerprint, name, reason, by, at }: AllowedArtifact): Promise<void> {
    return this.run(statements.save, [org, environment, fingerprint, name, reason, by, at]);
  }

  delete({ org, environment, fingerprint }: AllowedArtifact): Promise<void> {
    return this.run(statements.delete, [org, environment, fingerprint]);
  }
}

const toAllowedArtifact = toRecord<AllowedArtifact>({
  ...{ org: text, environment: text, fingerprint: text, name: text, reason: text },
  ...{ by: column('allowed_by', text), at: column('allowed_at', number) },
});
