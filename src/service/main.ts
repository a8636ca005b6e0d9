import { randomBytes } from 'node:crypto';
import { systemClock } from '../runtime/clock.ts';
import type { Terminal } from './commands/output-api-key.ts';
import { parseBackupCommand } from './commands/parse-backup-command.ts';
import { serve } from './commands/serve.ts';
import { OptionError, parseServiceOptions, usage } from './commands/service-options.ts';
import { errorMessage } from '../runtime/failure.ts';

// The command behind `npm run service`. Prints `listening on <base address>` once it answers, and ends with 0 after a
// SIGTERM or SIGINT, with 1 if it cannot start or stop, with 2 if it was asked wrongly. As `backup`, `verify` or `restore`
// it ends with 0 if that was done, and with 1 if not; so it does as `create-key`.

const terminal: Terminal = {
  isInteractive: process.stdout.isTTY,
  writeLine: (line) => {
    console.log(line);
  },
  writeError: (line, ...details) => {
    console.error(line, ...details);
  },
};

/** Whether the words ask for `backup`, `verify` or `restore`; it is done then. */
async function ranBackupCommand(words: readonly string[]): Promise<boolean> {
  const command = parseBackupCommand(words, process.env);
  if (command === undefined) return false;
  const { runBackupCommand } = await import('./commands/run-backup-command.ts');
  await runBackupCommand(command, { now: () => Date.now(), writeLine: terminal.writeLine });
  return true;
}

/** Whether the words ask for `create-key`; it is done then. */
async function ranCreateKey(words: readonly string[]): Promise<boolean> {
  if (words[0] !== 'create-key') return false;
  const { createKey, createKeyUsage, parseCreateKeyCommand } = await import('./commands/create-key.ts');
  const command = parseCreateKeyCommand(words.slice(1), process.env);
  if (command === 'help') terminal.writeLine(createKeyUsage);
  else await createKey(command, { now: () => Date.now(), randomBytes: (size) => randomBytes(size) }, terminal);
  return true;
}

try {
  // What the service and its backups write is for the user that runs them alone.
  process.umask(0o077);
  const words = process.argv.slice(2);
  if (!(await ranBackupCommand(words)) && !(await ranCreateKey(words))) {
    const options = parseServiceOptions(words, process.env);
    if (options === 'help') terminal.writeLine(usage);
    else await serve(options, { clock: systemClock, terminal });
  }
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = error instanceof OptionError ? 2 : 1;
}
