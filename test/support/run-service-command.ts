import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** How a command of the service ended. */
export interface EndedCommand {
  readonly code: number | null;
  /** Both outputs. */
  readonly output: string;
}

const main = fileURLToPath(new URL('../../src/service/main.ts', import.meta.url));

/** Runs `src/service/main.ts` to its end, as an operator does beside a running service. */
export async function runServiceCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<EndedCommand> {
  const child = spawn(process.execPath, [main, ...words], { env: { ...process.env, ...environment } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await once(child, 'close');
  return { code: child.exitCode, output };
}
