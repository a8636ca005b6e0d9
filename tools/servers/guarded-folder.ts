import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GuardedProgram, GuardianReport } from './guardian.ts';
import type { Account } from './unprivileged-account.ts';

/** A program that runs in a guarded folder. */
export interface RunningProgram {
  readonly pid: number;
  hasEnded(): boolean;
}

/**
 * A temporary folder for a server's data. A separate process, the guardian, runs the server in it. It stops the server
 * and removes the folder when `remove` is called, and when this process ends for any reason.
 */
export class GuardedFolder {
  readonly path: string;
  readonly #guardian: ChildProcess;

  /** @param parent where the folder is created; default: the system's folder for temporary files */
  constructor(name: string, account?: Account, parent = tmpdir()) {
    this.path = mkdtempSync(join(realpathSync(parent), `${name}-`));
    if (account !== undefined) chownSync(this.path, account.uid, account.gid);
    this.#guardian = spawn(process.execPath, [join(import.meta.dirname, 'guardian.ts'), this.path], {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    // The server must not keep this process alive.
    this.#guardian.unref();
    this.#guardian.channel?.unref();
  }

  /**
   * Runs a program. Only one may run at a time.
   *
   * @throws Error if it cannot be run
   */
  async run(program: GuardedProgram): Promise<RunningProgram> {
    let hasEnded = false;
    const guardian = this.#guardian;
    guardian.channel?.ref();
    const pid = await new Promise<number>((started, failed) => {
      const listen = (message: unknown): void => {
        // From guardian.ts, which sends nothing else.
        const report = message as GuardianReport;
        if (report.event === 'started') {
          started(report.pid);
          return;
        }
        if (report.event === 'failed') failed(new Error(`${program.program} cannot be run: ${report.reason}`));
        hasEnded = true;
        guardian.off('message', listen);
      };
      guardian.on('message', listen);
      guardian.send(program);
    }).finally(() => guardian.channel?.unref());
    return { pid, hasEnded: () => hasEnded };
  }

  /** All output of the programs so far. */
  log(): string {
    try {
      return readFileSync(join(this.path, 'log'), 'utf8');
    } catch {
      return '';
    }
  }

  /** Stops the program, and removes the folder. */
  async remove(): Promise<void> {
    if (this.#guardian.exitCode !== null || this.#guardian.signalCode !== null) return;
    const ended = once(this.#guardian, 'exit');
    this.#guardian.ref();
    if (this.#guardian.connected) this.#guardian.disconnect();
    await ended;
  }
}
