import type { Trail } from '../domain/records.ts';

/** Reads trails. */
export interface TrailReader {
  find(org: string, flow: string, name: string): Promise<Trail | undefined>;
}

/** Reads and writes trails. */
export interface TrailWriter extends TrailReader {
  /** Inserts the trail unless it exists; an existing one is not changed. Its flow must exist. */
  insertMissing(trail: Trail): Promise<void>;
}
