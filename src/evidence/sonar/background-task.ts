import { sleep, type Clock } from '../../runtime/clock.ts';
import { MistakeError, TroubleError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { listAt, textAt, valueAt } from '../../runtime/values.ts';
import { below } from './server-address.ts';
import { unexpectedAnswer } from './server-failure.ts';
import type { SonarServer } from './sonar-server.ts';

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
  /** What Sonar itself says about the analysis, for example that the clone was shallow. */
  readonly warnings: readonly string[];
}

/** What the waiting needs. */
export interface Waiting {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal | undefined;
  /** How long to wait for the task to finish, in milliseconds; it is asked for at least once. */
  readonly timeoutMilliseconds: number;
  /** The report that named the task, for the words of an error. */
  readonly reportPath: string;
}

/** Between two questions, in milliseconds: from the first, growing by half each time, to the longest. */
const firstPause = 1000;
const longestPause = 10_000;

/** How long the log may stay silent, in milliseconds. */
const silence = 30_000;

/**
 * Waits until Sonar has worked off a background task.
 *
 * @throws TroubleError where the task failed or was cancelled, in Sonar's words, or did not finish in time; MistakeError
 * where the server does not know the task or may not show it; the signal's reason where that is aborted
 */
export async function waitForTask(server: SonarServer, taskId: string, waiting: Waiting): Promise<FinishedTask> {
  const { clock, log } = waiting;
  const start = clock.now();
  const end = start + waiting.timeoutMilliseconds;
  let told = { status: '', at: start };
  for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 1.5)) {
    const task = await askForTask(server, taskId, waiting.reportPath);
    const status = textAt(task, 'status') ?? 'without a status';
    if (isFinal(status, task)) return finished(server, taskId, status, task);
    const now = clock.now();
    if (status !== told.status || now - told.at >= silence) {
      log.info(`Sonar's background task ${taskId} is ${status} after ${seconds(now - start)}`);
      told = { status, at: now };
    }
    if (now >= end) throw notInTime(server, taskId, status, waiting.timeoutMilliseconds, task);
    await sleep(clock, Math.min(pause, end - now), waiting.signal);
  }
}

async function askForTask(server: SonarServer, taskId: string, reportPath: string): Promise<unknown> {
  const answer = await server.ask({ path: 'api/ce/task', query: { id: taskId }, permission: 'Execute Analysis' });
  if (!answer.ok) throw answer.status === 404 ? unknownTask(server, taskId, reportPath, answer.words) : answer.failure;
  const task = valueAt(answer.body, 'task');
  if (task === undefined) throw unexpectedAnswer({ ...answer, address: server.address }, 'JSON without a `task`');
  return task;
}

/** A status that Sonar does not document may be another one on the way, unless the task has been executed. */
function isFinal(status: string, task: unknown): boolean {
  if (status === 'SUCCESS' || status === 'FAILED' || status === 'CANCELED') return true;
  if (status === 'PENDING' || status === 'IN_PROGRESS') return false;
  return textAt(task, 'executedAt') !== undefined;
}

function finished(server: SonarServer, id: string, status: string, task: unknown): FinishedTask {
  if (status !== 'SUCCESS') throw failed(server, id, status, task);
  const analysisId = textAt(task, 'analysisId');
  const projectKey = textAt(task, 'componentKey');
  if (analysisId === undefined || projectKey === undefined) {
    const missing = analysisId === undefined ? 'an analysis' : 'a project';
    const url = below(server.address.url, 'api/ce/task', { id });
    throw unexpectedAnswer({ url, address: server.address }, `a task that succeeded without ${missing}`);
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
    warnings: listAt(task, 'warnings').flatMap((warning) => (typeof warning === 'string' ? [oneLine(warning)] : [])),
  };
}

function failed(server: SonarServer, id: string, status: string, task: unknown): TroubleError {
  const ended =
    status === 'FAILED' ? 'failed' : status === 'CANCELED' ? 'was cancelled' : `ended with the status ${status}`;
  const words = textAt(task, 'errorMessage');
  const type = textAt(task, 'errorType');
  const cause = words === undefined ? '' : `: ${words}`;
  return new TroubleError({
    what: `Sonar's background task ${id}${ofProject(task)} ${ended}${cause}${type === undefined ? '' : ` (${type})`}`,
    remedy:
      status === 'CANCELED'
        ? 'Somebody, or a restart of the server, cancelled the task: run the scan again.'
        : `See ${tasksPage(server, task)} for details, mend what the message names, and run the scan again.`,
  });
}

function notInTime(server: SonarServer, id: string, status: string, timeout: number, task: unknown): TroubleError {
  return new TroubleError({
    what: `Sonar's background task ${id}${ofProject(task)} did not finish within ${seconds(timeout)}; it is still ${status}`,
    remedy: `Raise \`sonar-timeout\`, or see ${tasksPage(server, task)} for what the server is busy with.`,
  });
}

function unknownTask(server: SonarServer, id: string, reportPath: string, words: string): MistakeError {
  return new MistakeError({
    input: 'sonar-report-path',
    what: `the Sonar server ${server.address.url.href.replace(/\/$/u, '')} does not know the background task ${id} of ${reportPath}: ${words}`,
    remedy:
      'Check that `sonar-host-url` is the server that the scan reported to, and that the report is of this job and not left over from an earlier run: servers forget old tasks.',
  });
}

function ofProject(task: unknown): string {
  const key = textAt(task, 'componentKey');
  return key === undefined ? '' : ` of project ${key}`;
}

function tasksPage(server: SonarServer, task: unknown): string {
  return below(server.address.url, 'project/background_tasks', { id: textAt(task, 'componentKey') }).href;
}

/** A foreign text that goes to the log, where a line of its own could be taken for a command. */
function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
