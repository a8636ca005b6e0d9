import { randomBytes } from 'node:crypto';
import { systemClock } from '../runtime/clock.ts';
import { errorMessage } from '../runtime/failure.ts';
import { version } from '../runtime/version.ts';
import { OptionError, type RunCommand } from './commands/command-line.ts';
import { toFileError } from './commands/file-error.ts';
import type { Terminal } from './commands/output-api-key.ts';
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

/** The commands besides that which starts the service. Each is loaded only if it is run. */
const commands: Readonly<Record<string, () => Promise<RunCommand>>> = {
  backup: async () => (await import('./commands/backup.ts')).backup.run,
  restore: async () => (await import('./commands/backup.ts')).restore.run,
  'create-key': async () => (await import('./commands/create-key.ts')).createKey.run,
  copy: async () => (await import('./commands/copy.ts')).copy.run,
  verify: async () => (await import('./commands/log-commands.ts')).verify.run,
  'verifier-key': async () => (await import('./commands/log-commands.ts')).verifierKey.run,
  'rotate-signing-key': async () => (await import('./commands/log-commands.ts')).rotateSigningKey.run,
};

async function run(given: readonly string[]): Promise<void> {
  const words = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const [name = '', ...rest] = words;
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load !== undefined) {
    const runCommand = await load();
    await runCommand(rest, process.env, { ...dependencies, ...terminal });
    return;
  }
  const options = parseServiceOptions(words, process.env);
  if (options === 'help') terminal.writeLine(usage);
  else if (options === 'version') terminal.writeLine(`${version} (Node.js ${process.version})`);
  else await serve(options, dependencies, terminal);
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
