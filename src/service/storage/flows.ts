import type { Flow } from '../domain/records.ts';

/** Flows as they are read. */
export interface FlowReader {
  exists(org: string, name: string): Promise<boolean>;
  find(org: string, name: string): Promise<Flow | undefined>;
}

/** Flows as they are written. */
export interface FlowWriter extends FlowReader {
  /** Inserts the flow, or replaces all of it. Its organization exists. */
  save(flow: Flow): Promise<void>;
}
