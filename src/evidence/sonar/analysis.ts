import type { FailureText } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/values.ts';
import { lookUpAnalysis, setScmRevision } from './analysis-list.ts';
import type { FinishedTask } from './background-task.ts';
import { revisionOfScannerContext } from './scanner-context.ts';
import type { SonarServer } from './sonar-server.ts';

/** What Sonar says about an analysis: its time, and its revision or why nothing confirms one. */
export type Analysis = { readonly analysedAt: string | undefined } & (
  { readonly revision: string; readonly doubt?: never } | { readonly revision?: never; readonly doubt: FailureText }
);

/**
 * Reads when the task's analysis was made and of which commit: from Sonar's list of analyses, else from what the scanner
 * sent along, which everyone may read who may ask for the task. If the list cannot be read, the date is the task's.
 *
 * @param reportPath the report that named the task, for the words of an error
 * @throws UserError if Sonar does not list the analysis; the failure of an answer that only means trouble, such as 500
 */
export async function readAnalysis(server: SonarServer, task: FinishedTask, reportPath: string): Promise<Analysis> {
  const listing = await lookUpAnalysis(server, task, reportPath);
  const analysedAt = (listing.doubt === undefined ? listing.analysedAt : undefined) ?? task.executedAt;
  const listed = listing.doubt === undefined ? listing.revision : undefined;
  const revision = listed ?? (await askForGivenRevision(server, task));
  return revision === undefined ? { analysedAt, doubt: listing.doubt ?? withoutRevision } : { analysedAt, revision };
}

const withoutRevision: FailureText = {
  what: 'Sonar has no revision for this analysis.',
  remedy: `Run the scan in a git checkout, without \`sonar.scm.disabled\`; or ${setScmRevision}.`,
};

async function askForGivenRevision(server: SonarServer, task: FinishedTask): Promise<string | undefined> {
  const answer = await server.ask({
    path: 'api/ce/task',
    query: { id: task.id, additionalFields: 'scannerContext' },
    permission: 'Execute Analysis',
  });
  if (answer.ok) return revisionOfScannerContext(textAt(answer.body, 'task', 'scannerContext') ?? '');
  if (answer.failure.kind === 'external') throw answer.failure;
  return undefined;
}
