import {
  type CopyDependencies,
  copyFolder,
  type CopyRequest,
  describeDamaged,
} from '../platform/database/copy/copy-folder.ts';

/** @throws Error if it fails; the message says what to do. */
export async function runCopyCommand(request: CopyRequest, dependencies: CopyDependencies): Promise<void> {
  const { writeLine } = dependencies;
  const { target, tables, attachments, leftOut } = await copyFolder(request, dependencies);
  for (const { name, rows, digest } of tables) writeLine(`${name}: ${rows} rows, SHA-256 ${digest}`);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  writeLine(
    `copied ${request.dataFolder} to ${target}: ${rows} rows in ${tables.length} tables and ${attachments.count} ` +
      `attachments (${attachments.bytes} bytes), all verified`,
  );
  if (leftOut.length > 0) writeLine(['left out because they are damaged:', ...describeDamaged(leftOut)].join('\n'));
  writeLine('start the service with --database from now on, and keep the folder as a backup');
}
