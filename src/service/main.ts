import { randomBytes } from 'node:crypto';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { messageOf } from './domain/thrown.ts';
import { OptionFault, readOptions, usage } from './options.ts';
import type { RunningService, ServiceOptions } from './service.ts';

// The command behind `npm run service`. Prints `listening on <base address>` once it answers, and ends with 0 after a
// SIGTERM or SIGINT, with 1 where it cannot start or stop, with 2 where it was asked wrongly.

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

async function run(options: ServiceOptions): Promise<void> {
  // Node keeps the sources without their types, and compiled, for the next start, which takes half the time then. In the
  // data folder, where nobody else can put code in their place.
  enableCompileCache(join(options.dataFolder, 'compile-cache'));
  const { startService } = await import('./service.ts');
  const service = await startService(options, {
    now: () => Date.now(),
    after: (milliseconds, fire) => {
      const timer = setTimeout(fire, milliseconds);
      return () => {
        clearTimeout(timer);
      };
    },
    randomBytes: (size) => randomBytes(size),
    log: {
      info: (line) => {
        console.log(line);
      },
      error: (line, error) => {
        console.error(line, error);
      },
    },
  });
  stopOnSignal(service);
  if (service.generatedKey !== undefined) {
    console.log(`API key of ${options.first?.org ?? ''}, shown only now: ${service.generatedKey}`);
  }
  console.log(`listening on ${service.baseUrl}`);
}

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') console.log(usage);
  else await run(options);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = error instanceof OptionFault ? 2 : 1;
}
