import { unixSeconds, type After, type Now } from '../../runtime/clock.ts';
import type { ServiceLog } from '../../runtime/log.ts';
import { errorMessage } from '../../runtime/failure.ts';
import type { StoredKey } from '../domain/accounts.ts';
import { actorName } from '../domain/access.ts';
import { toKeyEvent } from './keys.ts';
import type { Storage } from '../storage/storage.ts';

/** How precise the time of the last use of a key is, in seconds: it is written at most this often. */
const precision = 300;

/** How long uses are collected before they are written together, in milliseconds. */
const writeDelay = 30_000;

/** How many keys are remembered as just written. A forgotten key costs one more write. */
const maximumKeys = 100_000;

/** A key that was used. */
interface NotedUse {
  readonly key: StoredKey;
  /** In Unix seconds. */
  readonly at: number;
}

/** The login itself is in the audit log, and its key is used at once. */
function isAudited({ key }: NotedUse): boolean {
  return key.ownerKind !== 'workflow';
}

interface Dependencies {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/**
 * Records when keys were first and last used, in the background, so that a request does not wait for it. A crash loses the uses of
 * the last half minute; after a start, the first use of each key is written again.
 */
export class KeyUses {
  readonly #dependencies: Dependencies;
  /** When the use of a key was last noted to be written, in Unix seconds. */
  readonly #noted = new Map<string, number>();
  #waiting: NotedUse[] = [];
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Notes that a key was used now. Never throws. */
  note(key: StoredKey): void {
    const { id } = key;
    const at = unixSeconds(this.#dependencies.now());
    const last = this.#noted.get(id);
    // The clock may have been set back.
    if (last !== undefined && Math.abs(at - last) < precision) return;
    if (this.#noted.size >= maximumKeys) this.#noted.clear();
    this.#noted.set(id, at);
    this.#waiting.push({ key, at });
    this.#cancel ??= this.#dependencies.after(writeDelay, () => {
      this.#cancel = undefined;
      void this.flush();
    });
  }

  /** Writes the noted uses, and waits until they are written. Never rejects: a failure is logged. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes the noted uses. No use may be noted afterwards. */
  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.flush();
  }

  async #write(): Promise<void> {
    const uses = this.#waiting;
    if (uses.length === 0) return;
    this.#waiting = [];
    const writes = [...Map.groupBy(uses, ({ key }) => key.org)].map(([org, used]) => this.#writeUses(org, used));
    await Promise.all(writes);
  }

  /** Never rejects. */
  async #writeUses(org: string, uses: readonly NotedUse[]): Promise<void> {
    try {
      await this.#dependencies.storage.transaction(org, async ({ accounts, auditLog }) => {
        const first = await accounts.recordKeyUses(uses.map(({ key: { id }, at }) => ({ org, id, at })));
        for (const { key, at } of uses.filter((use) => isAudited(use) && first.includes(use.key.id))) {
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
