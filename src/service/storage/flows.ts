import type { Flow } from '../domain/records.ts';
import type { ListPart } from './list-part.ts';

/** A flow without its template and repository. */
export type FlowHead = Pick<Flow, 'org' | 'name' | 'description' | 'visibility'>;

/** Selects flows. */
export interface FlowFilter {
  /** A part of the name. */
  readonly search?: string | undefined;
  /** Whether the case of `search` matters. */
  readonly isCaseSensitive?: boolean | undefined;
}

/** Reads flows. */
export interface FlowReader {
  exists(org: string, name: string): Promise<boolean>;
  find(org: string, name: string): Promise<Flow | undefined>;
  /** Flows sorted by name. */
  list(org: string, filter: FlowFilter, part: ListPart): Promise<readonly FlowHead[]>;
  count(org: string, filter: FlowFilter): Promise<number>;
}

/** Reads and writes flows. */
export interface FlowWriter extends FlowReader {
  /** Inserts or replaces the flow. Its organization must exist. */
  save(flow: Flow): Promise<void>;
}
