import type { Trail, TrailReference, TrailUpdate } from '../domain/records.ts';
import type { FileTemplate } from '../domain/template/template.ts';
import type { ListPart } from './list-part.ts';

/** Selects trails. */
export interface TrailFilter {
  readonly flow?: string | undefined;
  /** Only trails to which an artifact with this fingerprint was reported. */
  readonly fingerprint?: string | undefined;
  /** Only trails whose name begins with this text. They are sorted by name. Not together with `fingerprint`. */
  readonly namePrefix?: string | undefined;
}

/** Reads trails. */
export interface TrailReader {
  find(trail: TrailReference): Promise<Trail | undefined>;
  /** The templates of those of these trails that have their own, by trail. */
  listTemplates(org: string, flow: string, trails: readonly string[]): Promise<ReadonlyMap<string, FileTemplate>>;
  /** The latest updates, newest first. */
  listUpdates(trail: TrailReference, limit: number): Promise<readonly TrailUpdate[]>;
  /** Trails in the order in which they were created, the latest first; by name if they are selected by name. */
  list(org: string, filter: TrailFilter, part: ListPart): Promise<readonly Trail[]>;
  count(org: string, filter: TrailFilter): Promise<number>;
}

/** Reads and writes trails. */
export interface TrailWriter extends TrailReader {
  /** Inserts the trail unless it exists; an existing one is not changed. Its flow must exist. */
  insertMissing(trail: Omit<Trail, 'lastModifiedAt'>): Promise<void>;
  /** Inserts the trail, or replaces all but its time of creation. Its flow must exist. */
  save(trail: Trail): Promise<void>;
  /** Adds an update to the history of a trail, which must exist. */
  addUpdate(trail: TrailReference, update: TrailUpdate): Promise<void>;
  /** Gives the trail a template of its own, in place of the one that it may have. It must exist. */
  saveTemplate(trail: TrailReference, template: FileTemplate): Promise<void>;
}
