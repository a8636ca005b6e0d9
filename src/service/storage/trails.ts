import type { Trail } from '../domain/records.ts';

/** Trails as they are read. */
export interface TrailReader {
  find(org: string, flow: string, name: string): Promise<Trail | undefined>;
}

/** Trails as they are written. */
export interface TrailWriter extends TrailReader {
  /** Inserts the trail unless it exists; one that exists stays as it is. Its flow exists. */
  insertMissing(trail: Trail): Promise<void>;
}
