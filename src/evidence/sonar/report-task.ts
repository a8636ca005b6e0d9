import { UserError } from '../../runtime/failure.ts';

/**
 * The background task that processes an analysis, and its server, as far as a scanner's report (`report-task.txt`), the
 * URL of the task or a JSON report names them.
 */
export interface ReportTask {
  readonly ceTaskId: string;
  readonly projectKey?: string | undefined;
  /** Written by Sonar's cloud, and by old servers. */
  readonly organization?: string | undefined;
  /** The server's configured URL, which this machine cannot always reach. */
  readonly serverUrl?: string | undefined;
  /** For example `10.6.0.92116`; the cloud reports a made-up `8.0.0.56246`. */
  readonly serverVersion?: string | undefined;
  readonly dashboardUrl?: string | undefined;
}

/**
 * Parses the lines `key=value` of a `report-task.txt`. It is not a Java properties file: the scanners do not escape
 * anything, so a value starts after the first `=` and is used unchanged. Other lines are ignored.
 */
function parseReportLines(text: string): ReadonlyMap<string, string> {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r\n|[\r\n]/u);
  return new Map(
    lines.flatMap((line) => {
      const equals = line.indexOf('=');
      return equals <= 0 ? [] : [[line.slice(0, equals), line.slice(equals + 1)]];
    }),
  );
}

/**
 * Parses a `report-task.txt`.
 *
 * @param path the file, for error messages
 * @throws UserError if it does not name a background task
 */
export function parseReportTask(text: string, path: string): ReportTask {
  const values = parseReportLines(text);
  const value = (key: string): string | undefined => {
    const found = values.get(key);
    return found === '' ? undefined : found;
  };
  const ceTaskId = value('ceTaskId');
  if (ceTaskId === undefined || !isTaskId(ceTaskId)) {
    const wrong = ceTaskId === undefined ? 'has no `ceTaskId`' : 'has a `ceTaskId` that is not the id of a task';
    throw new UserError({
      input: 'sonar-report-path',
      what: `the Sonar report ${path} ${wrong}`,
      remedy:
        'Use the report-task.txt that the Sonar scanner of this job wrote (its lines are `key=value`, one of them `ceTaskId=…`), or a JSON file in the format of a Sonar webhook.',
    });
  }
  return {
    ceTaskId,
    projectKey: value('projectKey'),
    organization: value('organization'),
    serverUrl: value('serverUrl'),
    serverVersion: value('serverVersion'),
    dashboardUrl: value('dashboardUrl'),
  };
}

const taskPath = '/api/ce/task';

/**
 * Parses the URL of a background task, as scanners write it to `ceTaskUrl` in `report-task.txt`.
 *
 * @param text an http or https URL
 * @throws UserError if it is not the URL of a task
 */
export function parseTaskUrl(text: string): ReportTask {
  const { origin, pathname, searchParams } = new URL(text);
  const ceTaskId = searchParams.get('id') ?? '';
  // With its context path.
  if (pathname.endsWith(taskPath) && isTaskId(ceTaskId))
    return { ceTaskId, serverUrl: origin + pathname.slice(0, -taskPath.length) };
  throw new UserError({
    input: 'sonar-task-url',
    what: `\`sonar-task-url\` (${origin}${pathname}) is not the URL of a background task`,
    remedy: 'Use the `ceTaskUrl` that the scanner wrote: it ends in `/api/ce/task?id=…`.',
  });
}

/** Whether a text can be the id of a background task (UUID, URL-safe base64). Others could forge log lines. */
export function isTaskId(text: string): boolean {
  return /^[\x21-\x7E]{1,255}$/u.test(text);
}
