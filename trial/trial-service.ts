import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..');

/** A service in its own process. */
export interface TrialService {
  /** Ends in `/api/v2`. */
  readonly baseUrl: string;
  /** Stops it with SIGTERM, as an operator would. */
  stop(): Promise<void>;
}

/** Starts the service on a free port with a data folder, and waits until it listens. */
export async function startTrialService(
  data: string,
  org: string,
  key: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<TrialService> {
  const child = spawn(
    process.execPath,
    [join(root, 'src', 'service', 'main.ts'), '--port', '0', '--data', data, '--org', org],
    { env: { ...process.env, ...environment, COMPLIANCE_SERVICE_KEY: key }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return { baseUrl: await listeningAddress(child), stop: () => stop(child) };
}

async function listeningAddress(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /listening on (\S+)/u.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('the service exited before it accepted requests');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
