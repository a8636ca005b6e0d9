import { randomBytes } from 'node:crypto';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { systemClock } from '../runtime/clock.ts';
import { readCommand } from './commands/parse-backup-command.ts';
import { toSingleLine } from './domain/single-line.ts';
import { errorMessage } from '../runtime/failure.ts';
import { handOverKey, undeletedKeyFiles } from './commands/output-api-key.ts';
import { OptionError, readOptions, usage } from './commands/service-options.ts';
import type { RunningService, ServiceOptions } from './service.ts';
import { prepareDataFolder } from './storage/files/data-folder.ts';

// The command behind `npm run service`. Prints `listening on <base address>` once it answers, and ends with 0 after a
// SIGTERM or SIGINT, with 1 if it cannot start or stop, with 2 if it was asked wrongly. As `backup`, `verify` or `restore`
// it ends with 0 if that was done, and with 1 if not; so it does as `create-key`.

/** In characters; so that no request fills the log. */
const longestLogLine = 4000;

function stopOnSignal(service: RunningService): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    // An impatient second signal does not cut short what the first one lets finish; SIGKILL does.
    if (stopping) return;
    stopping = true;
    console.log(`stopping after ${signal}`);
    service.stop().catch((error: unknown) => {
      console.error('the service did not stop cleanly', error);
      process.exitCode = 1;
    });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

const operator = {
  isTerminal: process.stdout.isTTY,
  tell: (line: string) => {
    console.log(line);
  },
};

/** The service goes on if the key cannot be handed over: it has no other use for it, and another key can be created. */
async function handOver({ dataFolder, first }: ServiceOptions, key: string): Promise<void> {
  const org = first?.org ?? '';
  await handOverKey({ org, key }, dataFolder, operator).catch((error: unknown) => {
    const remedy = `create another with: npm run service -- create-key --org ${org}`;
    console.error(`the first API key of ${org} is lost (${errorMessage(error)}); ${remedy}`);
  });
}

/** Whether the words ask for a key instead of the service; it is created then. */
async function createdKey(words: readonly string[]): Promise<boolean> {
  if (words[0] !== 'create-key') return false;
  const { createKey, createKeyUsage, readKeyCommand } = await import('./commands/create-key.ts');
  const command = readKeyCommand(words.slice(1), process.env);
  if (command === 'help') console.log(createKeyUsage);
  else await createKey(command, { now: () => Date.now(), randomBytes: (size) => randomBytes(size) }, operator);
  return true;
}

async function run(options: ServiceOptions): Promise<void> {
  await prepareDataFolder(options.dataFolder, (line) => {
    console.log(line);
  });
  // Node keeps the sources without their types, and compiled, for the next start, which takes half the time then. In the
  // data folder, where nobody else can put code in their place.
  enableCompileCache(join(options.dataFolder, 'compile-cache'));
  const { startService } = await import('./service.ts');
  const service = await startService(options, {
    now: () => systemClock.now(),
    monotonic: () => performance.now(),
    after: (milliseconds, fire) => systemClock.after(milliseconds, fire),
    randomBytes: (size) => randomBytes(size),
    log: {
      info: (line) => {
        console.log(toSingleLine(line, longestLogLine));
      },
      error: (line, error) => {
        console.error(toSingleLine(line, longestLogLine), error);
      },
    },
  });
  stopOnSignal(service);
  for (const path of await undeletedKeyFiles(options.dataFolder)) {
    console.log(`an API key is in ${path}; store it where it is used, and delete the file`);
  }
  if (service.generatedKey !== undefined) await handOver(options, service.generatedKey);
  console.log(`listening on ${service.baseUrl}`);
}

/** Whether the words ask for something else than starting the service; it is done then. */
async function ranCommand(words: readonly string[]): Promise<boolean> {
  const command = readCommand(words, process.env);
  if (command === undefined) return false;
  const { runCommand } = await import('./commands/run-backup-command.ts');
  const tell = (line: string): void => {
    console.log(line);
  };
  await runCommand(command, { now: () => Date.now(), tell });
  return true;
}

try {
  // What the service and its backups write is for the user that runs them alone.
  process.umask(0o077);
  const words = process.argv.slice(2);
  if (!(await ranCommand(words)) && !(await createdKey(words))) {
    const options = readOptions(words, process.env);
    if (options === 'help') console.log(usage);
    else await run(options);
  }
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = error instanceof OptionError ? 2 : 1;
}
