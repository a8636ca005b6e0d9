import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Now } from '../../runtime/clock.ts';
import { errorMessage } from '../../runtime/failure.ts';
import { version } from '../../runtime/version.ts';
import { prepareDataFolder } from '../platform/attachments/files/data-folder.ts';
import type { StorageDependencies } from '../platform/database/storage.ts';
import { toSingleLine } from '../platform/single-line.ts';
import type { RunningService, ServiceOptions } from '../service.ts';
import { listApiKeyFiles, outputApiKey, type Terminal } from './output-api-key.ts';

/** In characters, so that no request can flood the log. */
const maximumLogLineLength = 4000;

/** Starts the service, prints its address, and stops it on SIGTERM or SIGINT. Each line begins with the time. */
export async function serve(options: ServiceOptions, sources: StorageDependencies, plain: Terminal): Promise<void> {
  const terminal = withTime(plain, sources.now);
  terminal.writeLine(`compliance service ${version}, Node.js ${process.version}`);
  await prepareDataFolder(options.dataFolder, terminal.writeLine);
  // Caches the compiled sources, which halves the time of the next start. The cache is in the data folder, because
  // other users cannot write code there.
  enableCompileCache(join(options.dataFolder, 'compile-cache'));
  const { startService } = await import('../service.ts');
  const service = await startService(options, {
    ...sources,
    log: {
      info: (line) => {
        terminal.writeLine(toSingleLine(line, maximumLogLineLength));
      },
      error: (line, ...details) => {
        terminal.writeError(toSingleLine(line, maximumLogLineLength), ...details);
      },
    },
  });
  stopOnSignal(service, terminal);
  for (const path of await listApiKeyFiles(options.dataFolder)) {
    terminal.writeLine(`an API key is in ${path}; store it where it is used, and delete the file`);
  }
  if (service.generatedKey !== undefined) await outputGeneratedKey(options, service.generatedKey, terminal);
  terminal.writeLine(`open ${options.publicUrl ?? service.url}/ in a browser to see the pages`);
  terminal.writeLine(`listening on ${service.baseUrl}`);
}

function withTime({ isInteractive, writeLine, writeError }: Terminal, now: Now): Terminal {
  const stamp = (line: string): string => `${new Date(now()).toISOString()} ${line}`;
  return {
    isInteractive,
    writeLine: (line) => {
      writeLine(stamp(line));
    },
    writeError: (line, ...details) => {
      writeError(stamp(line), ...details);
    },
  };
}

function stopOnSignal(service: RunningService, terminal: Terminal): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    // A second signal does not interrupt the shutdown; SIGKILL does.
    if (stopping) return;
    stopping = true;
    terminal.writeLine(`stopping after ${signal}`);
    service.stop().catch((error: unknown) => {
      terminal.writeError('the service did not stop cleanly', error);
      process.exitCode = 1;
    });
  };
  // Replaces the listeners of `main.ts`, which would end the process at once.
  process.removeAllListeners('SIGTERM').on('SIGTERM', stop);
  process.removeAllListeners('SIGINT').on('SIGINT', stop);
}

/** Failing to output the key does not stop the service, because another key can be created. */
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
