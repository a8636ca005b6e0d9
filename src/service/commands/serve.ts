import { randomBytes } from 'node:crypto';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { toSingleLine } from '../domain/single-line.ts';
import type { RunningService, ServiceOptions } from '../service.ts';
import { prepareDataFolder } from '../storage/files/data-folder.ts';
import { listApiKeyFiles, outputApiKey, type Terminal } from './output-api-key.ts';
import { errorMessage } from '../../runtime/failure.ts';
/** In characters; so that no request fills the log. */
const longestLogLine = 4000;

/** Starts the service, says where it listens, and lets it run until a signal stops it. */
export async function serve(
  options: ServiceOptions,
  { clock, terminal }: { readonly clock: Clock; readonly terminal: Terminal },
): Promise<void> {
  await prepareDataFolder(options.dataFolder, terminal.writeLine);
  // Node keeps the sources without their types, and compiled, for the next start, which takes half the time then. In the
  // data folder, where nobody else can put code in their place.
  enableCompileCache(join(options.dataFolder, 'compile-cache'));
  const { startService } = await import('../service.ts');
  const service = await startService(options, {
    now: () => clock.now(),
    monotonic: () => performance.now(),
    after: (milliseconds, fire) => clock.after(milliseconds, fire),
    randomBytes: (size) => randomBytes(size),
    log: {
      info: (line) => {
        terminal.writeLine(toSingleLine(line, longestLogLine));
      },
      error: (line, error) => {
        terminal.writeError(toSingleLine(line, longestLogLine), error);
      },
    },
  });
  stopOnSignal(service, terminal);
  for (const path of await listApiKeyFiles(options.dataFolder)) {
    terminal.writeLine(`an API key is in ${path}; store it where it is used, and delete the file`);
  }
  if (service.generatedKey !== undefined) await outputGeneratedKey(options, service.generatedKey, terminal);
  terminal.writeLine(`listening on ${service.baseUrl}`);
}

function stopOnSignal(service: RunningService, terminal: Terminal): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    // An impatient second signal does not cut short what the first one lets finish; SIGKILL does.
    if (stopping) return;
    stopping = true;
    terminal.writeLine(`stopping after ${signal}`);
    service.stop().catch((error: unknown) => {
      terminal.writeError('the service did not stop cleanly', error);
      process.exitCode = 1;
    });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** The service goes on if the key cannot be written: it has no other use for it, and another key can be created. */
async function outputGeneratedKey(
  { dataFolder, first }: ServiceOptions,
  key: string,
  terminal: Terminal,
): Promise<void> {
  const org = first?.org ?? '';
  await outputApiKey({ org, key }, dataFolder, terminal).catch((error: unknown) => {
    const remedy = `create another with: npm run service -- create-key --org ${org}`;
    terminal.writeError(`the first API key of ${org} could not be written (${errorMessage(error)}); ${remedy}`);
  });
}
