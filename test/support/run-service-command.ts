import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The result of a command of the service. */
export interface EndedCommand {
  readonly code: number | null;
  /** Standard output and standard error. */
  readonly output: string;
}

const main = fileURLToPath(new URL('../../src/service/main.ts', import.meta.url));

/** Runs a command of `src/service/main.ts` to its end, as an operator would. */
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
