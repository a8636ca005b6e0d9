import { tmpdir } from 'node:os';
import { type CopyDependencies, copyFolder, describeDamaged } from '../platform/database/copy/copy-folder.ts';
import type { CopyCommand } from './parse-copy-command.ts';

/** @throws Error if it fails; the message says what to do. */
export async function runCopyCommand(
  { dataFolder, target, leaveOutDamaged }: CopyCommand,
  dependencies: CopyDependencies,
): Promise<void> {
  const { writeLine } = dependencies;
  const options = { ...target, temporaryFolder: tmpdir() };
  const report = await copyFolder({ dataFolder, target: options, leaveOutDamaged }, dependencies);
  const { tables, attachments, leftOut } = report;
  for (const { name, rows, digest } of tables) writeLine(`${name}: ${rows} rows, SHA-256 ${digest}`);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  writeLine(
    `copied ${dataFolder} to ${report.target}: ${rows} rows in ${tables.length} tables and ${attachments.count} ` +
      `attachments (${attachments.bytes} bytes), all verified`,
  );
  if (leftOut.length > 0) writeLine(['left out because they are damaged:', ...describeDamaged(leftOut)].join('\n'));
  writeLine('start the service with --database from now on, and keep the folder as a backup');
}
