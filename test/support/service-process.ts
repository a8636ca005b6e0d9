import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The service as its operator runs it. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  /** The base address of the interface, from its line on the standard output. */
  readonly baseUrl: string;
  /** Everything it printed so far. */
  output(): string;
  /** Ends with the exit code, or with the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals | null>;
}

const main = fileURLToPath(new URL('../../src/service/main.ts', import.meta.url));

/**
 * Starts `src/service/main.ts` and waits until it answers.
 *
 * @throws Error with what it printed, where it ends before.
 */
export async function startServiceProcess(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [main, ...words], { env: { ...process.env, ...environment } });
  let output = '';
  const exit = once(child, 'exit').then(
    ([code, signal]: unknown[]) => (code ?? signal) as number | NodeJS.Signals | null,
  );
  const listening = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, address] = /^listening on (\S+)$/m.exec(output) ?? [];
        if (address !== undefined) resolve(address);
      });
    }
  });
  const closed = once(child, 'close').then((): never => {
    throw new Error(output);
  });
  const baseUrl = await Promise.race([listening, closed]);
  closed.catch(() => undefined);
  return { child, baseUrl, output: () => output, ended: () => exit };
}
