import type { Trail, TrailReference, TrailUpdate } from '../../domain/records.ts';
import type { FileTemplate } from '../../domain/template/template.ts';
import type { ListPart } from '../list-part.ts';
import type { TrailFilter, TrailReader, TrailWriter } from '../trails.ts';
import { number, optional, toTrail, toTrailUpdate, type Row } from '../rows.ts';
import { toFileTemplate } from '../rows/trails.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

// The artifacts of a fingerprint are few, so they come first.
const withArtifact = `FROM (SELECT DISTINCT flow, trail FROM artifacts WHERE org = ?1 AND fingerprint = ?2) l
  CROSS JOIN trails t ON t.org = ?1 AND t.flow = l.flow AND t.name = l.trail`;

// No name contains a character above `~`, so the range ends before U+007F.
const byName = `FROM trails WHERE org = ?1 AND name >= ?2 AND name < ?2 || char(127)`;
const byNameInFlow = `FROM trails WHERE org = ?1 AND flow = ?2 AND name >= ?3 AND name < ?3 || char(127)`;

// `+ 0` after limits: SQLite recompiles a statement for every value that is bound directly to a limit.
const reading = {
  find: 'SELECT * FROM trails WHERE org = ? AND flow = ? AND name = ?',
  findTemplate: 'SELECT template FROM trail_templates WHERE org = ? AND flow = ? AND trail = ?',
  listUpdates: `SELECT * FROM trail_updates WHERE org = ? AND flow = ? AND trail = ?
    ORDER BY sequence DESC LIMIT ? + 0`,
  list: 'SELECT * FROM trails WHERE org = ? ORDER BY rowid DESC LIMIT ? + 0 OFFSET ? + 0',
  listOfFlow: 'SELECT * FROM trails WHERE org = ? AND flow = ? ORDER BY rowid DESC LIMIT ? + 0 OFFSET ? + 0',
  listWithArtifact: `SELECT t.* ${withArtifact} WHERE ?3 IS NULL OR t.flow = ?3
    ORDER BY t.rowid DESC LIMIT ?4 + 0 OFFSET ?5 + 0`,
  listByName: `SELECT * ${byName} ORDER BY name, flow LIMIT ?3 + 0 OFFSET ?4 + 0`,
  listByNameInFlow: `SELECT * ${byNameInFlow} ORDER BY name LIMIT ?4 + 0 OFFSET ?5 + 0`,
  count: 'SELECT count(*) AS count FROM trails WHERE org = ?',
  countOfFlow: 'SELECT count(*) AS count FROM trails WHERE org = ? AND flow = ?',
  countByName: `SELECT count(*) AS count ${byName}`,
  countByNameInFlow: `SELECT count(*) AS count ${byNameInFlow}`,
  countWithArtifact: `SELECT count(*) AS count ${withArtifact} WHERE ?3 IS NULL OR t.flow = ?3`,
} as const;

const writing = {
  insertMissing: `INSERT INTO trails (org, flow, name, created_at, report) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  save: `INSERT INTO trails (org, flow, name, created_at, last_modified_at, report) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET last_modified_at = excluded.last_modified_at, report = excluded.report`,
  addUpdate: `INSERT INTO trail_updates (org, flow, trail, sequence, updated_at, commit_sha, commit_url)
    SELECT ?1, ?2, ?3, coalesce(max(sequence), 0) + 1, ?4, ?5, ?6
    FROM trail_updates WHERE org = ?1 AND flow = ?2 AND trail = ?3`,
  saveTemplate: `INSERT INTO trail_templates (org, flow, trail, template) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET template = excluded.template`,
} as const;

/** Trails in SQLite, for reading. */
export class SqliteTrailReader implements TrailReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  find({ org, flow, name }: TrailReference): Promise<Trail | undefined> {
    return this.session.execute(() => optional(this.#statements.find.get(org, flow, name), toTrail));
  }

  listTemplates(org: string, flow: string, trails: readonly string[]): Promise<ReadonlyMap<string, FileTemplate>> {
    const { findTemplate } = this.#statements;
    return this.session.execute(
      () => new Map(trails.flatMap((trail) => toEntry(trail, findTemplate.get(org, flow, trail)))),
    );
  }

  listUpdates({ org, flow, name }: TrailReference, limit: number): Promise<readonly TrailUpdate[]> {
    return this.session.execute(() => this.#statements.listUpdates.all(org, flow, name, limit).map(toTrailUpdate));
  }

  list(
    org: string,
    { flow, fingerprint, namePrefix }: TrailFilter,
    { offset, limit }: ListPart,
  ): Promise<readonly Trail[]> {
    const { list, listOfFlow, listWithArtifact, listByName, listByNameInFlow } = this.#statements;
    return this.session.execute(() => {
      if (namePrefix !== undefined) {
        const rows =
          flow === undefined
            ? listByName.all(org, namePrefix, limit, offset)
            : listByNameInFlow.all(org, flow, namePrefix, limit, offset);
        return rows.map(toTrail);
      }
      if (fingerprint !== undefined) {
        return listWithArtifact.all(org, fingerprint, flow ?? null, limit, offset).map(toTrail);
      }
      const rows = flow === undefined ? list.all(org, limit, offset) : listOfFlow.all(org, flow, limit, offset);
      return rows.map(toTrail);
    });
  }

  count(org: string, { flow, fingerprint, namePrefix }: TrailFilter): Promise<number> {
    const { count, countOfFlow, countWithArtifact, countByName, countByNameInFlow } = this.#statements;
    return this.session.execute(() => {
      if (namePrefix !== undefined) {
        return toCount(
          flow === undefined ? countByName.get(org, namePrefix) : countByNameInFlow.get(org, flow, namePrefix),
        );
      }
      if (fingerprint !== undefined) return toCount(countWithArtifact.get(org, fingerprint, flow ?? null));
      return toCount(flow === undefined ? count.get(org) : countOfFlow.get(org, flow));
    });
  }
}

/** Trails in SQLite, for writing. */
export class SqliteTrailWriter extends SqliteTrailReader implements TrailWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  insertMissing({ org, flow, name, createdAt, report }: Parameters<TrailWriter['insertMissing']>[0]): Promise<void> {
    return this.session.execute(() => {
      this.#statements.insertMissing.run(org, flow, name, createdAt, JSON.stringify(report));
    });
  }

  save({ org, flow, name, createdAt, lastModifiedAt, report }: Trail): Promise<void> {
    return this.session.execute(() => {
      this.#statements.save.run(org, flow, name, createdAt, lastModifiedAt, JSON.stringify(report));
    });
  }

  addUpdate({ org, flow, name }: TrailReference, { at, commit }: TrailUpdate): Promise<void> {
    return this.session.execute(() => {
      this.#statements.addUpdate.run(org, flow, name, at, commit?.sha1 ?? null, commit?.url ?? null);
    });
  }

  saveTemplate({ org, flow, name }: TrailReference, template: FileTemplate): Promise<void> {
    return this.session.execute(() => {
      this.#statements.saveTemplate.run(org, flow, name, JSON.stringify(template));
    });
  }
}

function toEntry(trail: string, row: Row | undefined): readonly (readonly [string, FileTemplate])[] {
  return row === undefined ? [] : [[trail, toFileTemplate(row)]];
}

function toCount(row: Row | undefined): number {
  return number(row ?? {}, 'count');
}
