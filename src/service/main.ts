import { randomBytes } from 'node:crypto';
import { systemClock } from '../runtime/clock.ts';
import { errorMessage } from '../runtime/failure.ts';
import { version } from '../runtime/version.ts';
import { OptionError } from './commands/command-line.ts';
import { toFileError } from './commands/file-error.ts';
import type { Terminal } from './commands/output-api-key.ts';
import { parseBackupCommand } from './commands/parse-backup-command.ts';
import { parseLogCommand } from './commands/parse-log-command.ts';
import { serve } from './commands/serve.ts';
import { parseServiceOptions, usage } from './commands/service-options.ts';
import type { StorageDependencies } from './platform/database/storage.ts';

// The command behind `npm run service`: starts the service, or runs `backup`, `verify`, `restore`, `create-key`,
// `copy`, `verifier-key` or `rotate-signing-key`. The service prints `listening on <base address>` when it accepts
// requests. Exit codes: 0 after SIGTERM or SIGINT, or when a command succeeded; 1 if the service cannot start or stop,
// or a command failed; 2 for invalid options.

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

async function run(given: readonly string[]): Promise<void> {
  const words = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const [name, ...rest] = words;
  const logCommand = parseLogCommand(words, process.env);
  const backupCommand = logCommand === undefined ? parseBackupCommand(words, process.env) : undefined;
  if (logCommand !== undefined) {
    const { runLogCommand } = await import('./commands/run-log-command.ts');
    await runLogCommand(logCommand, { ...dependencies, writeLine: terminal.writeLine });
  } else if (backupCommand !== undefined) {
    const { runBackupCommand } = await import('./commands/run-backup-command.ts');
    await runBackupCommand(backupCommand, { now: () => Date.now(), writeLine: terminal.writeLine });
  } else if (name === 'create-key') {
    const { createKey, createKeyUsage, parseCreateKeyCommand } = await import('./commands/create-key.ts');
    const command = parseCreateKeyCommand(rest, process.env);
    if (command === 'help') terminal.writeLine(createKeyUsage);
    else await createKey(command, dependencies, terminal);
  } else if (name === 'copy') {
    const { copyUsage, parseCopyCommand } = await import('./commands/parse-copy-command.ts');
    const command = parseCopyCommand(rest, process.env);
    if (command === 'help') terminal.writeLine(copyUsage);
    else {
      const { runCopyCommand } = await import('./commands/run-copy-command.ts');
      await runCopyCommand(command, { ...dependencies, writeLine: terminal.writeLine });
    }
  } else {
    const options = parseServiceOptions(words, process.env);
    if (options === 'help') terminal.writeLine(usage);
    else if (options === 'version') terminal.writeLine(`${version} (Node.js ${process.version})`);
    else await serve(options, { clock: systemClock, terminal });
  }
}

// The service goes on if the program that reads its log has ended, such as that in a pipe.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
// As process 1 of a container, it would ignore signals until the service listens to them.
if (process.pid === 1) {
  process.on('SIGTERM', () => process.exit(143));
  process.on('SIGINT', () => process.exit(130));
}
try {
  // Files that the service and its backups write are readable only by the user who runs them.
  process.umask(0o077);
  await run(process.argv.slice(2));
} catch (error) {
  console.error(errorMessage(toFileError(error)));
  process.exitCode = error instanceof OptionError ? 2 : 1;
}
