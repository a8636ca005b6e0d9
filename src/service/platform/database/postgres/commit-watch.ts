import type { ClientBase } from 'pg';
import type { After } from '../../../../runtime/clock.ts';
import { slowDatabase } from './postgres-errors.ts';

/**
 * How long a commit may take, in milliseconds. The database itself has no limit: while its synchronous standby is
 * missing, a commit waits until one is back, also after its client has gone.
 */
const commitMilliseconds = 15_000;

/** How long a transaction waits to learn whether the database commits again, in milliseconds. */
const probeMilliseconds = 1000;

interface Dependencies {
  readonly after: After;
  /** Commits something of no importance. It waits for others that do the same, so only one of them can get stuck. */
  readonly probe: () => Promise<void>;
}

/** A standby may not have what was committed. */
export class UnconfirmedCommitError extends Error {
  override readonly name = 'UnconfirmedCommitError';
}

/**
 * Limits the time of commits. After one took too long, it lets no transaction begin until the database commits again:
 * each would hold its locks and a connection of the database until the standby is back.
 */
export class CommitWatch {
  readonly #dependencies: Dependencies;
  #isStuck = false;
  #probing: Promise<void> | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Waits for the result of statements of which the last one commits.
   *
   * @throws StorageError if it takes too long. Then the outcome is unknown, and the connection must not be used again.
   * @throws UnconfirmedCommitError if an administrator has canceled the wait for a standby
   */
  async confirm<Result>(client: ClientBase, committed: Promise<Result>): Promise<Result> {
    // PostgreSQL then commits with a warning, whose text depends on its language.
    const warnings: string[] = [];
    const listen = ({ code = '' }: { readonly code?: string | undefined }): void => {
      if (code.startsWith('01')) warnings.push(code);
    };
    client.on('notice', listen);
    try {
      const result = await this.#within(commitMilliseconds, committed, () => {
        this.noteStuck();
      });
      if (warnings.length > 0) throw new UnconfirmedCommitError('the wait for a standby was canceled');
      return result;
    } finally {
      client.off('notice', listen);
    }
  }

  /** Call it when something else shows that the database does not commit. */
  noteStuck(): void {
    this.#isStuck = true;
  }

  /**
   * Call it before a transaction begins.
   *
   * @throws StorageError as long as the database does not commit
   */
  async requireCommits(): Promise<void> {
    if (!this.#isStuck) return;
    this.#probing ??= this.#probe();
    await this.#within(probeMilliseconds, this.#probing);
  }

  async #probe(): Promise<void> {
    try {
      await this.#dependencies.probe();
      this.#isStuck = false;
    } finally {
      this.#probing = undefined;
    }
  }

  #within<Result>(milliseconds: number, work: Promise<Result>, onLate?: () => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      const cancel = this.#dependencies.after(milliseconds, () => {
        onLate?.();
        reject(slowDatabase());
      });
      work.then(resolve, reject).finally(cancel);
    });
  }
}
