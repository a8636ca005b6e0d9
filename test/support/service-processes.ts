import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedKey, sharedOrg } from './service-instances.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

/** Services in processes of their own that share a database, as on several machines. */
export class ServiceProcesses {
  readonly #databaseUrl: string;
  readonly #started: { readonly running: ServiceProcess; readonly folder: string }[] = [];

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  /**
   * Starts a process.
   *
   * @param more further command-line arguments; by default the first key of the organization
   * @throws Error with its output if it exits before it accepts requests
   */
  async start(more: readonly string[] = ['--key', sharedKey]): Promise<ServiceProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'compliance-process-'));
    const database = ['--database', this.#databaseUrl, '--org', sharedOrg, '--allow-private-targets'];
    const running = await startServiceProcess(['--port', '0', '--data', folder, ...database, ...more]);
    this.#started.push({ running, folder });
    return running;
  }

  /** Kills all processes, and removes their folders. */
  async remove(): Promise<void> {
    for (const { running, folder } of this.#started.splice(0)) {
      running.child.kill('SIGKILL');
      await running.ended();
      await rm(folder, { recursive: true });
    }
  }
}

/** Kills a process with SIGKILL, and waits until it has ended. */
export async function kill(running: ServiceProcess): Promise<void> {
  running.child.kill('SIGKILL');
  await running.ended();
}
