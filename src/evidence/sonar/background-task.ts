import { sleep } from '../../runtime/clock.ts';
import { ExternalError, UserError } from '../../runtime/failure.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { buildUrl } from './server/server-address.ts';
import { unexpectedSonarResponse } from './server/server-failure.ts';
import { nextPause, type Polling, seconds } from './server/sonar-polling.ts';
import type { SonarServer } from './server/sonar-server.ts';

/** A background task that has succeeded: Sonar has computed the analysis and its gate. */
export interface FinishedTask {
  readonly id: string;
  /** Always `SUCCESS`. */
  readonly status: string;
  readonly analysisId: string;
  readonly projectKey: string;
  readonly projectName: string;
  /** Sonar's dates are ISO 8601 with an offset without a colon. */
  readonly submittedAt: string | undefined;
  readonly executedAt: string | undefined;
  /** Undefined for an analysis of the main branch, and for a pull request's. */
  readonly branch: string | undefined;
  readonly branchType: string | undefined;
  readonly pullRequest: string | undefined;
  /** Sonar's own warnings about the analysis, for example that the clone was shallow. */
  readonly warnings: readonly string[];
}

/**
 * Waits until Sonar has processed a background task.
 *
 * @param reportPath the report that named the task, for errors
 * @throws ExternalError if the task failed or was cancelled, with Sonar's message, or did not finish in time; UserError
 * if the server does not know the task or may not show it; the signal's reason if it is aborted
 */
export async function waitForTask(
  server: SonarServer,
  taskId: string,
  reportPath: string,
  polling: Polling,
): Promise<FinishedTask> {
  const { clock, end, progress } = polling;
  let pause: number | undefined;
  for (;;) {
    const task = await fetchTask(server, taskId, reportPath);
    const status = textAt(task, 'status') ?? 'without a status';
    if (isFinal(status, task)) return toFinishedTask(server, taskId, status, task);
    progress.logTask(`Sonar's background task ${taskId} is ${status}`);
    const left = end - clock.now();
    if (left <= 0) throw createTimeoutError(server, taskId, status, polling.timeoutMilliseconds, task);
    pause = nextPause(pause);
    await sleep(clock, Math.min(pause, left), polling.signal);
  }
}

async function fetchTask(server: SonarServer, taskId: string, reportPath: string): Promise<unknown> {
  const answer = await server.ask({
    path: 'api/ce/task',
    // Sonar returns the warnings of an analysis only on request.
    query: { id: taskId, additionalFields: 'warnings' },
  });
  if (!answer.ok)
    throw isUnknownTask(answer) ? createUnknownTaskError(server, taskId, reportPath, answer.message) : answer.failure;
  const task = valueAt(answer.body, 'task');
  if (task === undefined)
    throw unexpectedSonarResponse({ ...answer, address: server.address }, 'JSON without a `task`');
  return task;
}

function isUnknownTask({ status, message }: { readonly status: number; readonly message: string }): boolean {
  return status === 404 && message.startsWith('No activity found for task');
}

/** An undocumented status counts as not final, unless the task has been executed. */
function isFinal(status: string, task: unknown): boolean {
  if (status === 'SUCCESS' || status === 'FAILED' || status === 'CANCELED') return true;
  if (status === 'PENDING' || status === 'IN_PROGRESS') return false;
  return textAt(task, 'executedAt') !== undefined;
}

function toFinishedTask(server: SonarServer, id: string, status: string, task: unknown): FinishedTask {
  if (status !== 'SUCCESS') throw createFailedError(server, id, status, task);
  const analysisId = textAt(task, 'analysisId');
  const projectKey = textAt(task, 'componentKey');
  if (analysisId === undefined || projectKey === undefined) {
    const missing = analysisId === undefined ? 'an analysis' : 'a project';
    const url = buildUrl(server.address.url, 'api/ce/task', { id });
    throw unexpectedSonarResponse({ url, address: server.address }, `a task that succeeded without ${missing}`);
  }
  return {
    id,
    status,
    analysisId,
    projectKey,
    projectName: textAt(task, 'componentName') ?? projectKey,
    submittedAt: textAt(task, 'submittedAt'),
    executedAt: textAt(task, 'executedAt'),
    branch: textAt(task, 'branch'),
    branchType: textAt(task, 'branchType'),
    pullRequest: textAt(task, 'pullRequest'),
    warnings: listAt(task, 'warnings').flatMap((warning) => (typeof warning === 'string' ? [toOneLine(warning)] : [])),
  };
}

function createFailedError(server: SonarServer, id: string, status: string, task: unknown): ExternalError {
  const ended =
    status === 'FAILED' ? 'failed' : status === 'CANCELED' ? 'was cancelled' : `ended with the status ${status}`;
  const message = textAt(task, 'errorMessage');
  const type = textAt(task, 'errorType');
  const cause = message === undefined ? '' : `: ${message}`;
  return new ExternalError({
    what: `Sonar's background task ${id}${toProjectClause(task)} ${ended}${cause}${type === undefined ? '' : ` (${type})`}`,
    remedy:
      status === 'CANCELED'
        ? 'A user or a restart of the server cancelled the task: run the scan again.'
        : `See ${tasksPage(server, task)} for details, fix the cause that the message names, and run the scan again.`,
  });
}

function createTimeoutError(
  server: SonarServer,
  id: string,
  status: string,
  timeout: number,
  task: unknown,
): ExternalError {
  return new ExternalError({
    what: `Sonar's background task ${id}${toProjectClause(task)} did not finish within ${seconds(timeout)}; it is still ${status}`,
    remedy: `Raise \`sonar-timeout\`, or see ${tasksPage(server, task)} for what the server is working on.`,
  });
}

function createUnknownTaskError(server: SonarServer, id: string, reportPath: string, message: string): UserError {
  return new UserError({
    input: 'sonar-report-path',
    what: `the Sonar server ${server.address.url.href.replace(/\/$/u, '')} does not know the background task ${id} of ${reportPath}: ${message}`,
    remedy:
      'Check that `sonar-host-url` is the server that the scan reported to, and that the report is from this job and not left over from an earlier run: servers delete old tasks.',
  });
}

function toProjectClause(task: unknown): string {
  const key = textAt(task, 'componentKey');
  return key === undefined ? '' : ` of project ${key}`;
}

function tasksPage(server: SonarServer, task: unknown): string {
  return buildUrl(server.address.url, 'project/background_tasks', { id: textAt(task, 'componentKey') }).href;
}

/** Makes a text from outside a single line: in the log, a separate line could be taken for a workflow command. */
function toOneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
