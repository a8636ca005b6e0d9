import { UserError } from '../../runtime/failure.ts';
import { isTaskId } from './report-task.ts';

export interface TaskAddress {
  readonly taskId: string;
  /** The server's address with its context path. */
  readonly serverUrl: string;
}

const path = '/api/ce/task';

/**
 * Parses the URL of a background task, as scanners write it to `ceTaskUrl` in `report-task.txt`.
 *
 * @param text an http or https URL
 * @throws UserError if it is not the URL of a task
 */
export function parseTaskUrl(text: string): TaskAddress {
  const url = new URL(text);
  const taskId = url.searchParams.get('id') ?? '';
  if (!url.pathname.endsWith(path) || !isTaskId(taskId)) {
    throw new UserError({
      input: 'sonar-task-url',
      what: `\`sonar-task-url\` (${url.origin}${url.pathname}) is not the URL of a background task`,
      remedy: 'Use the `ceTaskUrl` that the scanner wrote: it ends in `/api/ce/task?id=…`.',
    });
  }
  return { taskId, serverUrl: `${url.origin}${url.pathname.slice(0, -path.length)}` };
}
