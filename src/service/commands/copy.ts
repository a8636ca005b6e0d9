import { copyFolder, type CopyRequest, describeDamaged } from '../platform/database/copy/copy-folder.ts';
import { defineCommand, OptionError } from './command-line.ts';
import { readDatabase, readDataFolder } from './service-options.ts';

const text = { type: 'string' } as const;

export const copy = defineCommand({
  usage: [
    'Usage: npm run service -- copy --from FOLDER --to URL [options]',
    '',
    'Copies everything from a data folder with SQLite to an empty PostgreSQL database, and verifies the copy.',
    'The service must be stopped. The folder is not changed. A copy that was interrupted can be run again.',
    '',
    '  --from FOLDER\n      the data folder of the service; or COMPLIANCE_SERVICE_DATA',
    '  --to URL\n      the database, such as postgres://user@db.example.com/compliance; or COMPLIANCE_SERVICE_DATABASE',
    '  --attachments URL\n      copies attachments to an S3-compatible storage, such as s3://bucket/prefix?region=eu-central-1\n' +
      '      (default: to the database); or COMPLIANCE_SERVICE_ATTACHMENTS',
    '  --leave-out-damaged\n      leaves out attachments that are damaged in the folder, instead of failing',
  ],
  options: { from: text, to: text, attachments: text, 'leave-out-damaged': { type: 'boolean' } },
  read: ({ values }, environment, usage): CopyRequest => {
    const dataFolder = readDataFolder(values.from, environment);
    if (dataFolder === undefined) throw new OptionError(`copy requires --from\n\n${usage}`);
    const target = readDatabase({ database: values.to, attachments: values.attachments }, environment, '--to');
    if (target === undefined) throw new OptionError(`copy requires --to\n\n${usage}`);
    return { dataFolder, target, leaveOutDamaged: values['leave-out-damaged'] === true };
  },
  carryOut: async (request, dependencies) => {
    const { writeLine } = dependencies;
    const { target, tables, attachments, leftOut } = await copyFolder(request, dependencies);
    for (const { name, rows, digest } of tables) writeLine(`${name}: ${rows} rows, SHA-256 ${digest}`);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    writeLine(
      `copied ${request.dataFolder} to ${target}: ${rows} rows in ${tables.length} tables and ${attachments.count} ` +
        `attachments (${attachments.bytes} bytes), all verified`,
    );
    if (leftOut.length > 0) writeLine(['left out because they are damaged:', ...describeDamaged(leftOut)].join('\n'));
    const options = request.target.attachments === undefined ? '--database' : '--database, --attachments';
    writeLine(
      `start the service with ${options} and signing-key.pem of the folder from now on, and keep the folder as a backup`,
    );
  },
});
