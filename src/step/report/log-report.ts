import type { Reason } from '../../contract/reason.ts';
import { toReasonLines } from '../../operations/reasons.ts';
import type { Report, Table } from '../../operations/report.ts';
import type { Log } from '../../runtime/log.ts';
import type { Runner } from './runner.ts';

/** Logs an operation's report in a group named after its subject. */
export async function logReport(report: Report, { log }: Runner): Promise<void> {
  await log.group(report.subject, () => {
    logReasons(report.reasons ?? [], log);
    if (report.evidence?.table !== undefined) logTable(report.evidence.table, log);
    for (const note of report.evidence?.notes ?? []) log.info(note);
    for (const { label, value } of report.facts) log.info(`${label}: ${value.text}`);
    for (const table of report.tables ?? []) logTable(table, log);
    for (const { label, text } of report.copies ?? []) log.info(`${text}  ${label}`.trimEnd());
    return Promise.resolve();
  });
}

function logReasons(reasons: readonly Reason[], log: Log): void {
  const { lines, more } = toReasonLines(reasons);
  if (lines.length > 0) log.info('Reasons:');
  for (const line of lines) log.info(`  ${line.map(({ text }) => text).join('')}`);
  if (more > 0) log.info(`  … and ${more} more in the response-path file`);
}

function logTable({ title, columns, rows, more = 0 }: Table, log: Log): void {
  log.info(`${title} (${columns.join(' | ')}):`);
  for (const row of rows) log.info(`  ${row.map(({ text }) => text).join(' | ')}`);
  if (more > 0) log.info(`  … and ${more} more in the response-path file`);
}
