import { type ReportKind, reportKinds } from '../../src/contract/environment-report.ts';
import { gatherRunning, type RunningSource } from '../../src/evidence/running/gather-running.ts';
import type { Workspace } from './temporary-workspace.ts';

/** The time of the reports, in Unix seconds. */
export const reportedAt = 1_767_323_045;

/** Gathers what runs in an environment of this kind. */
export function gather(
  kind: ReportKind['kind'],
  source: RunningSource,
  workspace: Workspace,
): ReturnType<typeof gatherRunning> {
  const found = reportKinds.find((candidate) => candidate.kind === kind);
  if (found === undefined) throw new RangeError(kind);
  return gatherRunning(found, source, { workspace: workspace.path, now: reportedAt, signal: undefined });
}

/** Gathers what runs from documents, each in a file of its own: `running-0.json`, … */
export async function gatherDocuments(
  workspace: Workspace,
  kind: ReportKind['kind'],
  ...documents: readonly unknown[]
): Promise<{ readonly artifacts: unknown; readonly notRunning: unknown; readonly withoutDigest: unknown }> {
  const names = documents.map((_, index) => `running-${index}.json`);
  for (const [index, document] of documents.entries()) {
    await workspace.write(names[index] ?? '', JSON.stringify(document));
  }
  const { report, notRunning, withoutDigest } = await gather(kind, { files: names }, workspace);
  return { artifacts: report.artifacts, notRunning: Object.fromEntries(notRunning), withoutDigest };
}
