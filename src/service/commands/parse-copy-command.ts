import { parseArgs } from 'node:util';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import type { CopyRequest } from '../platform/database/copy/copy-folder.ts';
import { helpFlag, OptionError, withUsage } from './command-line.ts';
import { readDatabase, readDataFolder } from './service-options.ts';

export const copyUsage = [
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
].join('\n');

/** @throws OptionError */
export function parseCopyCommand(words: readonly string[], environment: EnvironmentVariables): CopyRequest | 'help' {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
  const options = { from: text, to: text, attachments: text, 'leave-out-damaged': flag, help: helpFlag };
  const { values } = withUsage(copyUsage, () => parseArgs({ args: [...words], options }));
  if (values.help === true) return 'help';
  const dataFolder = readDataFolder(values.from, environment);
  if (dataFolder === undefined) throw new OptionError(`copy requires --from\n\n${copyUsage}`);
  const target = readDatabase({ database: values.to, attachments: values.attachments }, environment, '--to');
  if (target === undefined) throw new OptionError(`copy requires --to\n\n${copyUsage}`);
  return { dataFolder, target, leaveOutDamaged: values['leave-out-damaged'] === true };
}
