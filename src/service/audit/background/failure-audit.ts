import { conforms } from '../../../contract/check.ts';
import { orgName } from '../../../contract/names.ts';
import { type After, isRecent, type Now, unixSeconds } from '../../../runtime/clock.ts';
import { errorMessage } from '../../../runtime/failure.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { DelayedWrites } from '../../platform/background/delayed-writes.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { type AuditEvent, unknownActor } from '../audit-event.ts';

/** How long failures are counted together, in milliseconds. */
const windowLength = 3_600_000;
/** The maximum number of failures of an organization that are recorded individually within a window. */
const maximumEvents = 20;
/** The maximum number of organizations whose failures wait until it is known whether they exist. */
const maximumUnchecked = 1000;

/** A failed authentication, or a login that was refused. */
export type AuditedFailure = Pick<AuditEvent, 'org' | 'subject' | 'details'> & {
  readonly type: 'authentication_failed' | 'login_refused';
};

interface Dependencies {
  readonly storage: Pick<Storage, 'read' | 'transaction'>;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

interface Window {
  /** In milliseconds. */
  readonly begun: number;
  count: number;
}

/** Failures of an organization that may not exist. */
interface Unchecked {
  readonly first: { readonly failure: AuditedFailure; readonly at: number }[];
  count: number;
}

/**
 * Records failed authentications in the audit log of the organization that they were about, in the background. Anyone
 * can cause them, so the first ones of an hour are recorded individually, and the others only as a number.
 */
export class FailureAudit {
  readonly #dependencies: Dependencies;
  /** By organization. Only existing organizations have one, so the size is limited. */
  readonly #windows = new Map<string, Window>();
  /** By organization, until it is looked up. */
  readonly #unchecked = new Map<string, Unchecked>();
  /** Resolves when every organization so far was looked up. */
  #checking: Promise<void> = Promise.resolve();
  readonly #writes: DelayedWrites<AuditEvent>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#writes = new DelayedWrites({
      after: dependencies.after,
      toOrganization: ({ org }) => org,
      write: (org, events) => this.#write(org, events),
    });
  }

  /** Notes a failure. Never throws. */
  note(failure: AuditedFailure): void {
    const at = this.#dependencies.now();
    const { org } = failure;
    const unchecked = this.#unchecked.get(org);
    if (this.#windows.has(org)) this.#count(failure, at);
    else if (unchecked !== undefined) {
      unchecked.count += 1;
      if (unchecked.first.length < maximumEvents) unchecked.first.push({ failure, at });
    } else if (this.#unchecked.size < maximumUnchecked) {
      this.#unchecked.set(org, { first: [{ failure, at }], count: 1 });
      this.#checking = this.#checking.then(() => this.#check(org));
    }
    // If it is full, names arrive faster than the database can look them up, so the failure is not recorded.
  }

  /** Writes the noted failures. No failure may be noted afterwards. */
  async stop(): Promise<void> {
    await this.#checking;
    for (const [org, window] of this.#windows) this.#endWindow(org, window);
    await this.flush();
  }

  /** Writes the noted failures, and waits until they are written. Never rejects: an error is logged. */
  async flush(): Promise<void> {
    await this.#checking;
    await this.#writes.flush();
  }

  /** Counts the failures of an organization if it exists. */
  async #check(org: string): Promise<void> {
    const isKnown = await this.#isKnown(org);
    const { first, count } = this.#unchecked.get(org) ?? { first: [], count: 0 };
    this.#unchecked.delete(org);
    if (!isKnown) return;
    for (const { failure, at } of first) this.#count(failure, at);
    const window = this.#windows.get(org);
    if (window !== undefined) window.count += count - first.length;
  }

  #count(failure: AuditedFailure, at: number): void {
    const window = this.#findWindow(failure.org, at);
    window.count += 1;
    if (window.count <= maximumEvents) this.#writes.add({ ...failure, at: unixSeconds(at), actor: unknownActor });
  }

  /** Whether the organization exists; clients can send any name. */
  async #isKnown(org: string): Promise<boolean> {
    if (!conforms(orgName, org)) return false;
    return this.#dependencies.storage.read(({ organizations }) => organizations.exists(org)).catch(() => false);
  }

  #findWindow(org: string, at: number): Window {
    const known = this.#windows.get(org);
    if (known !== undefined && isRecent(known.begun, windowLength, at)) return known;
    if (known !== undefined) this.#endWindow(org, known);
    const window = { begun: at, count: 0 };
    this.#windows.set(org, window);
    return window;
  }

  /** Records how many failures were not recorded individually. */
  #endWindow(org: string, { begun, count }: Window): void {
    this.#windows.delete(org);
    if (count <= maximumEvents) return;
    const details = { count: String(count - maximumEvents), since: new Date(begun).toISOString() };
    const at = unixSeconds(this.#dependencies.now());
    this.#writes.add({
      org,
      type: 'authentication_failed',
      at,
      actor: unknownActor,
      subject: 'more failures',
      details,
    });
  }

  /** Never rejects. */
  async #write(org: string, events: readonly AuditEvent[]): Promise<void> {
    try {
      await this.#dependencies.storage.transaction(org, async ({ auditLog }) => {
        for (const event of events) await auditLog.append(event);
      });
    } catch (error) {
      const what = `${events.length} failed authentications of ${org}`;
      this.#dependencies.log.info(`${what} are missing in the audit log: ${errorMessage(error)}`);
    }
  }
}
