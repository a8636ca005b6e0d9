import type { AttestationPage, ListedAttestation } from '../contract/attestation-list.ts';
import type { Log } from '../runtime/log.ts';
import { Failure, TroubleError } from '../runtime/failure.ts';
import { newestFirst, newestTime, orderOf, type ListOrder } from './attestation-order.ts';
import type { AttestationTally } from './attestation-tally.ts';

/** A walk through the pages of attestations. */
interface AttestationWalk {
  /** Gives a page, counted from 1, up to a time in Unix seconds. */
  readonly ask: (page: number, to: number | undefined) => Promise<AttestationPage>;
  /** The end of the time span that was asked for, in Unix seconds. */
  readonly to: number | undefined;
  readonly tally: AttestationTally;
  readonly log: Log;
  readonly signal: AbortSignal | undefined;
}

/** What the service said when the walk began. */
interface Start {
  readonly total: number;
  readonly pages: number;
  readonly order: ListOrder;
}

/** How many more pages than there were at the start are asked for: the list may grow while it is walked through. */
const mostPages = (pages: number): number => pages * 2 + 10;

/**
 * Walks through all attestations that there are when it begins, the newest first, and ends even if others keep recording.
 * The end comes from the service's own answers: this machine's clock may be behind the service's.
 *
 * - If the service lists the newest first, new ones would push others from page to page. So the pages after the first are
 *   asked for up to the newest time on the first. Times are fractional and `to_timestamp` is in whole seconds, so the list
 *   may still grow for two seconds.
 * - If it lists the oldest first, the pages do not change. They are asked for from the last to the first.
 * - If the order is not known, the pages are asked for as they are.
 *
 * Whatever the order, an attestation that comes twice is left out, and the list is complete only if it has as many as the
 * service counted.
 */
export class AttestationPages {
  readonly #walk: AttestationWalk;
  #start: Start | undefined;
  #to: number | undefined;
  #page = 0;
  /** How many pages there are, by the last answer. */
  #pages = 0;
  #total = 0;
  #interruption: Failure | undefined;

  constructor(walk: AttestationWalk) {
    this.#walk = walk;
    this.#to = walk.to;
  }

  /**
   * The new attestations of the next page; undefined at the end. A failure ends the walk if one that is not compliant was
   * found: it decides, whatever else there is.
   *
   * @throws Failure if a page cannot be listed
   */
  async next(): Promise<readonly ListedAttestation[] | undefined> {
    const { tally, signal } = this.#walk;
    try {
      return await this.#next();
    } catch (error) {
      const decided = tally.verdict === 'non-compliant' && signal?.aborted !== true;
      if (!decided || !(error instanceof Failure)) throw error;
      this.#interruption = error;
      return undefined;
    }
  }

  /** What is missing from the list, in words; undefined if it is complete. */
  get gap(): string | undefined {
    if (this.#interruption !== undefined) return `the list could not be read to its end: ${this.#interruption.message}`;
    const start = this.#start;
    if (start === undefined) return 'nothing was listed';
    const { listed } = this.#walk.tally;
    const expected = start.order === 'unknown' ? this.#total : start.total;
    if (listed < expected) return `the service lists ${listed} and counts ${expected} attestations`;
    return this.#hasEnded(start) ? undefined : 'it grew faster than it could be read';
  }

  async #next(): Promise<readonly ListedAttestation[] | undefined> {
    const start = this.#start;
    if (start === undefined) return this.#first();
    if (this.#hasEnded(start)) return undefined;
    if (start.order === 'oldest first') return this.#list(this.#page - 1, start);
    return this.#page < mostPages(start.pages) ? this.#list(this.#page + 1, start) : undefined;
  }

  async #first(): Promise<readonly ListedAttestation[]> {
    const { data, pagination } = await this.#ask(1);
    const { total, page_count: pages } = pagination;
    const order = orderOf(data);
    this.#start = { total, pages, order };
    if (order === 'oldest first' && pages > 1) {
      // Nothing is kept of the first page while the others are listed: it comes last.
      this.#page = pages + 1;
      return [];
    }
    this.#page = 1;
    if (order === 'newest first') this.#to = endOf(data, this.#to);
    return this.#add(data);
  }

  #hasEnded({ order }: Start): boolean {
    return order === 'oldest first' ? this.#page === 1 : this.#page >= this.#pages;
  }

  async #list(page: number, start: Start): Promise<readonly ListedAttestation[]> {
    const answer = await this.#ask(page);
    if (this.#to !== this.#walk.to && answer.pagination.total < start.total) {
      // The end cuts off what was there before, so the first page does not hold the newest.
      this.#to = this.#walk.to;
      this.#start = { ...start, order: 'unknown' };
      return this.#list(page, this.#start);
    }
    this.#page = page;
    return this.#add(answer.data);
  }

  async #ask(page: number): Promise<AttestationPage> {
    const answer = await this.#walk.ask(page, this.#to);
    const { data, pagination } = answer;
    if (pagination.page !== page || (data.length === 0 && page < pagination.page_count)) {
      throw outOfStep(page, pagination, data.length);
    }
    this.#pages = pagination.page_count;
    this.#total = pagination.total;
    this.#walk.log.info(`page ${page} of ${Math.max(this.#pages, 1)}: ${data.length} attestations`);
    return answer;
  }

  #add(data: readonly ListedAttestation[]): readonly ListedAttestation[] {
    const order = this.#start?.order ?? 'unknown';
    return this.#walk.tally.add(newestFirst(data, order), order);
  }
}

/** The end of the walk: the second after the newest, unless an earlier one was asked for. */
function endOf(data: readonly ListedAttestation[], asked: number | undefined): number | undefined {
  const newest = newestTime(data);
  return newest === undefined ? asked : Math.min(Math.floor(newest) + 1, asked ?? Infinity);
}

function outOfStep(
  asked: number,
  { page: answered, page_count: pages }: AttestationPage['pagination'],
  entries: number,
): TroubleError {
  return new TroubleError({
    what: `list-attestations: the service was asked for page ${asked} and answered page ${answered} of ${pages} with ${entries} attestations, so the list would not be whole`,
    remedy: "Try again; if it lasts, ask for single pages by their number, and tell the service's operators.",
  });
}
