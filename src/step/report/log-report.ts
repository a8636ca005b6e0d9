import type { Evidence, Report, Table } from '../../operations/report.ts';
import type { Log } from '../../runtime/log.ts';
import type { Runner } from './runner.ts';

/** Logs an operation's report in a group named after its subject. */
export async function logReport(report: Report, { log }: Runner): Promise<void> {
  await log.group(report.subject, () => {
    if (report.evidence !== undefined) logEvidence(report.evidence, log);
    for (const { label, value } of report.facts) log.info(`${label}: ${value.text}`);
    for (const table of report.tables) logTable(table, log);
    for (const { label, text } of report.copies ?? []) log.info(`${text}  ${label}`.trimEnd());
    return Promise.resolve();
  });
}

function logEvidence({ table, notes, problems, moreProblems }: Evidence, log: Log): void {
  logTable(table, log);
  for (const note of notes) log.info(note);
  if (problems.length > 0) log.info('Missing or failed:');
  for (const line of problems) log.info(`  ${line.map(({ text }) => text).join('')}`);
  if (moreProblems > 0) log.info(`  … and ${moreProblems} more in the response-path file`);
}

function logTable({ title, columns, rows, more = 0 }: Table, log: Log): void {
  log.info(`${title} (${columns.join(' | ')}):`);
  for (const row of rows) log.info(`  ${row.map(({ text }) => text).join(' | ')}`);
  if (more > 0) log.info(`  … and ${more} more in the response-path file`);
}
