import { type After, isRecent, type Now, unixSeconds } from '../../../runtime/clock.ts';
import { errorMessage } from '../../../runtime/failure.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { DelayedWrites } from '../../platform/background/delayed-writes.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { actorName } from '../access.ts';
import type { StoredKey } from '../account.ts';
import { toKeyEvent } from '../api-key-use-cases.ts';

/** How precise the time of the last use of a key is, in seconds: it is written at most this often. */
const precision = 300;

/** How many keys are remembered as just written. A forgotten key costs one more write. */
const maximumKeys = 100_000;

interface NotedUse {
  readonly key: StoredKey;
  /** In Unix seconds. */
  readonly at: number;
}

interface Dependencies {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/** Records when keys were first and last used. After a start, the first use of each key is written again. */
export class KeyUses {
  readonly #dependencies: Dependencies;
  /** When the use of a key was last noted to be written, in Unix seconds. */
  readonly #noted = new Map<string, number>();
  readonly #writes: DelayedWrites<NotedUse>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#writes = new DelayedWrites({
      after: dependencies.after,
      toOrganization: ({ key }) => key.org,
      write: (org, uses) => this.#write(org, uses),
    });
  }

  /** Notes that a key was used now. Never throws. */
  note(key: StoredKey): void {
    const { id } = key;
    const at = unixSeconds(this.#dependencies.now());
    const last = this.#noted.get(id);
    if (last !== undefined && isRecent(last, precision, at)) return;
    if (this.#noted.size >= maximumKeys) this.#noted.clear();
    this.#noted.set(id, at);
    this.#writes.add({ key, at });
  }

  /** Writes the noted uses, and waits until they are written. Never rejects: a failure is logged. */
  flush(): Promise<void> {
    return this.#writes.flush();
  }

  /** Never rejects. */
  async #write(org: string, uses: readonly NotedUse[]): Promise<void> {
    try {
      await this.#dependencies.storage.transaction(org, async ({ accounts, auditLog }) => {
        const first = await accounts.recordKeyUses(uses.map(({ key: { id }, at }) => ({ org, id, at })));
        for (const { key, at } of uses.filter((use) => first.includes(use.key.id))) {
          // The login is in the audit log already, and the key is used at once.
          if (key.ownerKind === 'workflow') continue;
          await auditLog.append(toKeyEvent('key_first_used', key, { by: actorName(key), at }));
        }
      });
    } catch (error) {
      // The next use of each key is noted again.
      for (const { key } of uses) this.#noted.delete(key.id);
      const what = `the last use of ${uses.length} API keys of ${org}`;
      this.#dependencies.log.info(`${what} was not recorded: ${errorMessage(error)}`);
    }
  }
}
