import type { DatabaseSync } from 'node:sqlite';
import { showsAttachment } from '../../../attestation/removed-attachment-records.ts';
import type { AttachedContent } from '../../attachments/attachments.ts';
import { number, text } from '../rows.ts';
import { toStartError } from '../start-error.ts';
import { openReadOnly, translateError } from './database.ts';
import { readVersion } from './migrations.ts';

/** The contents of a database, as far as backups need them. */
export interface DatabaseContents {
  readonly version: number;
  readonly rows: Readonly<Record<string, number>>;
  /** Every attachment that a record refers to, without duplicates. */
  readonly attachments: readonly AttachedContent[];
  /** The problems that SQLite's integrity checks found; empty if none. */
  readonly problems: readonly string[];
}

/** The maximum number of listed problems. A file with more is useless anyway. */
const maximumProblems = 20;
const digestForm = /^[0-9a-f]{64}$/u;

/**
 * Makes a consistent copy of a database that another process may be writing to. It uses one read transaction, which
 * neither blocks writers nor is interrupted by them. (SQLite's backup API restarts with every write of another
 * process.)
 *
 * @param target an empty file
 */
export function copyDatabase(source: string, target: string): void {
  withDatabase(source, (database) => {
    let version: number;
    try {
      version = readVersion(database, source);
    } catch (error) {
      // Only up to here: a later error may be about the target.
      throw toStartError(translateError(error), source);
    }
    if (version === 0) throw new Error(`${source} has no tables; name the data folder of the service with --data`);
    database.prepare('VACUUM INTO ?').run(target);
  });
}

/** Reads the contents of a database and runs SQLite's integrity checks. */
export function inspectDatabase(path: string): DatabaseContents {
  return withDatabase(path, (database) => {
    const version = readVersion(database, path);
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .all();
    const rows = tables.map((table) => {
      const name = text(table, 'name');
      return [name, number(database.prepare(`SELECT count(*) AS count FROM "${name}"`).get() ?? {}, 'count')] as const;
    });
    return {
      version,
      rows: Object.fromEntries(rows),
      attachments: listAttachedContent(database),
      problems: findProblems(database),
    };
  });
}

/** Lists every attachment that a record refers to and that was not removed, without duplicates. */
export function listAttachedContent(database: DatabaseSync): readonly AttachedContent[] {
  // Backups of earlier versions do not have this table.
  const [removals] = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'removed_attachments'").all();
  const attached = database.prepare(
    `SELECT attachment_digest AS digest, max(attachment_size) AS size FROM attestations a
      WHERE ${removals === undefined ? 'attachment_digest IS NOT NULL' : showsAttachment} GROUP BY attachment_digest`,
  );
  return Array.from(attached.iterate(), (row) => {
    const content = { digest: text(row, 'digest'), size: number(row, 'size') };
    // The digest becomes part of a path.
    if (!digestForm.test(content.digest)) throw new Error('the database names an attachment without a SHA-256');
    return content;
  });
}

/** Runs SQLite's integrity checks, and returns the problems that they find. */
export function findProblems(database: DatabaseSync): readonly string[] {
  const integrity = database
    .prepare(`PRAGMA integrity_check(${maximumProblems})`)
    .all()
    .map((row) => text(row, 'integrity_check'));
  const [dangling] = database.prepare('PRAGMA foreign_key_check').all();
  return [
    ...integrity.filter((line) => line !== 'ok'),
    ...(dangling === undefined ? [] : [`rows of ${text(dangling, 'table')} belong to rows that do not exist`]),
  ];
}

function withDatabase<Result>(path: string, work: (database: DatabaseSync) => Result): Result {
  using database = openReadOnly(path);
  try {
    return work(database);
  } catch (error) {
    throw translateError(error);
  }
}
