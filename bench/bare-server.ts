import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const program = join(import.meta.dirname, 'programs', 'bare-server.ts');

/**
 * Runs work against a server that does nothing but respond, in its own process.
 *
 * @param responseBytes the length of each response's body
 * @param work gets the server's port on the loopback interface
 */
export async function withBareServer<Result>(
  responseBytes: number,
  work: (port: number) => Promise<Result>,
): Promise<Result> {
  const child = spawn(process.execPath, [program, String(responseBytes)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /listening on (\d+)/u.exec(line)?.[1];
      if (port !== undefined) return await work(Number(port));
    }
    throw new Error('the bare server ended before it listened');
  } finally {
    child.stdin.end();
    await ended;
  }
}
