import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The service in its own process, as an operator runs it. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  /** The base address of the interface, which the service prints. */
  readonly baseUrl: string;
  /** All output so far. */
  output(): string;
  /** Resolves to the exit code, or to the signal that ended the process. */
  ended(): Promise<number | NodeJS.Signals | null>;
}

const main = fileURLToPath(new URL('../../src/service/main.ts', import.meta.url));

/**
 * Starts `src/service/main.ts` and waits until it accepts requests.
 *
 * @throws Error with its output if it exits before
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
        const [, address] = / listening on (\S+)$/m.exec(output) ?? [];
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
