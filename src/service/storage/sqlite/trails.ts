import type { Trail } from '../../domain/records.ts';
import type { TrailReader, TrailWriter } from '../trails.ts';
import { optional, toTrail } from './rows.ts';
import type { Session } from './session.ts';
import { prepare, type Prepared } from './statements.ts';

const reading = {
  find: 'SELECT * FROM trails WHERE org = ? AND flow = ? AND name = ?',
} as const;

const writing = {
  insertMissing: 'INSERT INTO trails (org, flow, name, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
} as const;

/** Trails in SQLite, for reading. */
export class SqliteTrailReader implements TrailReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  find(org: string, flow: string, name: string): Promise<Trail | undefined> {
    return this.session.execute(() => optional(this.#statements.find.get(org, flow, name), toTrail));
  }
}

/** Trails in SQLite, for writing. */
export class SqliteTrailWriter extends SqliteTrailReader implements TrailWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  insertMissing({ org, flow, name, createdAt }: Trail): Promise<void> {
    return this.session.execute(() => {
      this.#statements.insertMissing.run(org, flow, name, createdAt);
    });
  }
}
