import type { Flow } from '../domain/records.ts';

/** Reads flows. */
export interface FlowReader {
  exists(org: string, name: string): Promise<boolean>;
  find(org: string, name: string): Promise<Flow | undefined>;
}

/** Reads and writes flows. */
export interface FlowWriter extends FlowReader {
  /** Inserts or replaces the flow. Its organization must exist. */
  save(flow: Flow): Promise<void>;
}
