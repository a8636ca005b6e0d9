import { randomBytes } from 'node:crypto';
import { systemClock } from '../runtime/clock.ts';
import type { Terminal } from './commands/output-api-key.ts';
import { parseBackupCommand } from './commands/parse-backup-command.ts';
import { serve } from './commands/serve.ts';
import { OptionError } from './commands/option-error.ts';
import { parseServiceOptions, usage } from './commands/service-options.ts';
import { errorMessage } from '../runtime/failure.ts';
import { version } from '../runtime/version.ts';
import type { StorageDependencies } from './platform/database/storage.ts';

// The command behind `npm run service`: starts the service, or runs `backup`, `verify`, `restore`, `create-key` or
// `copy`. The service prints `listening on <base address>` when it accepts requests. Exit codes: 0 after SIGTERM or
// SIGINT, or when a command succeeded; 1 if the service cannot start or stop, or a command failed; 2 for invalid
// options.

const terminal: Terminal = {
  isInteractive: process.stdout.isTTY,
  writeLine: (line) => {
    console.log(line);
  },
  writeError: (line, ...details) => {
    console.error(line, ...details);
  },
};

const dependencies: StorageDependencies = {
  now: () => systemClock.now(),
  monotonic: () => performance.now(),
  after: (milliseconds, fire) => systemClock.after(milliseconds, fire),
  randomBytes: (size) => randomBytes(size),
  log: { info: terminal.writeLine, error: terminal.writeError },
};

/** Runs `backup`, `verify` or `restore`. Returns false if the arguments name none of them. */
async function ranBackupCommand(words: readonly string[]): Promise<boolean> {
  const command = parseBackupCommand(words, process.env);
  if (command === undefined) return false;
  const { runBackupCommand } = await import('./commands/run-backup-command.ts');
  await runBackupCommand(command, { now: () => Date.now(), writeLine: terminal.writeLine });
  return true;
}

/** Runs `create-key`. Returns false if the arguments do not name it. */
async function ranCreateKey(words: readonly string[]): Promise<boolean> {
  if (words[0] !== 'create-key') return false;
  const { createKey, createKeyUsage, parseCreateKeyCommand } = await import('./commands/create-key.ts');
  const command = parseCreateKeyCommand(words.slice(1), process.env);
  if (command === 'help') terminal.writeLine(createKeyUsage);
  else await createKey(command, dependencies, terminal);
  return true;
}

/** Runs `copy`. Returns false if the arguments do not name it. */
async function ranCopy(words: readonly string[]): Promise<boolean> {
  if (words[0] !== 'copy') return false;
  const { copyUsage, parseCopyCommand } = await import('./commands/parse-copy-command.ts');
  const command = parseCopyCommand(words.slice(1), process.env);
  if (command === 'help') {
    terminal.writeLine(copyUsage);
    return true;
  }
  const { runCopyCommand } = await import('./commands/run-copy-command.ts');
  await runCopyCommand(command, { ...dependencies, writeLine: terminal.writeLine });
  return true;
}

try {
  // Files that the service and its backups write are readable only by the user who runs them.
  process.umask(0o077);
  const words = process.argv.slice(2);
  if (!(await ranBackupCommand(words)) && !(await ranCreateKey(words)) && !(await ranCopy(words))) {
    const options = parseServiceOptions(words, process.env);
    if (options === 'help') terminal.writeLine(usage);
    else if (options === 'version') terminal.writeLine(`${version} (Node.js ${process.version})`);
    else await serve(options, { clock: systemClock, terminal });
  }
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = error instanceof OptionError ? 2 : 1;
}
