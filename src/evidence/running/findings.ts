import type { ReportedInstance } from '../../contract/environment-report.ts';

/** What readers of documents find. */
export class Findings<Artifact = ReportedInstance> {
  readonly artifacts: Artifact[] = [];
  /** How many instances do not run, by their state. */
  readonly notRunning = new Map<string, number>();
  readonly withoutDigest: string[] = [];

  addNotRunning(state: string): void {
    this.notRunning.set(state, (this.notRunning.get(state) ?? 0) + 1);
  }
}
