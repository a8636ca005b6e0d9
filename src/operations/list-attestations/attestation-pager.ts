import type { AttestationPage, ListedAttestation } from '../../contract/attestation-list.ts';
import { Failure, ExternalError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { newestFirst, newestTime, detectOrder, type ListOrder } from './attestation-order.ts';
import type { AttestationTally } from './attestation-tally.ts';

/** A walk through the pages of attestations. */
interface PagerOptions {
  /** Gives a page, counted from 1, up to a time in Unix seconds. */
  readonly fetchPage: (page: number, to: number | undefined) => Promise<AttestationPage>;
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
  /** The newest time on the first page, in Unix seconds; undefined if it has no time. */
  readonly newest: number | undefined;
}

/**
 * How many pages are asked for if there were so many at the start. The list may grow by many small pages until the second
 * is over that the walk ends with; it grows for ever only with a service that ignores `to_timestamp`.
 */
const mostPages = (pages: number): number => pages * 2 + 1000;

/**
 * Walks through all attestations that there are when it begins, the newest first, and ends even if others keep recording.
 * The end comes from the service's own answers: this machine's clock may be behind the service's.
 *
 * - If the service lists the newest first, new ones would push others from page to page. So the pages after the first are
 *   asked for up to the newest time on the first. Times are fractional and `to_timestamp` is in whole seconds, so the list
 *   may still grow for two seconds.
 * - If it lists the oldest first, the pages do not change. They are asked for from the last to the first.
 * - If neither is so, the pages are asked for as they are.
 *
 * Whatever the order, an attestation that comes twice is left out, and the list is complete only if it has as many as the
 * service counted.
 */
export class AttestationPager {
  readonly #options: PagerOptions;
  #start: Start | undefined;
  #to: number | undefined;
  /** Whether `#to` is an end that the walk has set itself. */
  #hasEnd = false;
  #page = 0;
  /** How many pages there are, by the last answer. */
  #pages = 0;
  #total = 0;
  #interruption: Failure | undefined;

  constructor(options: PagerOptions) {
    this.#options = options;
    this.#to = options.to;
  }

  /**
   * The new attestations of the next page; undefined at the end. A failure ends the walk if one that is not compliant was
   * found: it decides, whatever else there is.
   *
   * @throws Failure if a page cannot be listed
   */
  async next(): Promise<readonly ListedAttestation[] | undefined> {
    const { tally, signal } = this.#options;
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
    if (this.#interruption !== undefined) return `the list could not be read to the end: ${this.#interruption.message}`;
    const start = this.#start;
    if (start === undefined) return 'nothing was listed';
    const { listed } = this.#options.tally;
    // Without an end and without an order, what comes meanwhile cannot be told from what was there before.
    const expected = start.order === 'unknown' && !this.#hasEnd ? this.#total : start.total;
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
    const { data, pagination } = await this.#fetch(1);
    const { total, page_count: pages } = pagination;
    const order = detectOrder(data);
    const newest = newestTime(data);
    this.#start = { total, pages, order, newest };
    if (order === 'oldest first' && pages > 1) {
      // Nothing is kept of the first page while the others are listed: it comes last.
      this.#page = pages + 1;
      return [];
    }
    this.#page = 1;
    // A page of one entry, or of one moment, tells no order; most likely the newest come first there, too.
    if (newest !== undefined) {
      this.#to = Math.min(Math.floor(newest) + 1, this.#options.to ?? Infinity);
      this.#hasEnd = true;
    }
    return this.#add(data, order);
  }

  async #list(page: number, start: Start): Promise<readonly ListedAttestation[]> {
    const { data, pagination } = await this.#fetch(page);
    if (this.#hasEnd && pagination.total < start.total) return this.#listWithoutEnd(start);
    this.#page = page;
    return this.#add(data, start.order);
  }

  /** The end cuts off what was there before, so the first page does not hold the newest. The last page may. */
  async #listWithoutEnd(start: Start): Promise<readonly ListedAttestation[]> {
    this.#to = this.#options.to;
    this.#hasEnd = false;
    const { data } = await this.#fetch(start.pages);
    const { newest = Infinity } = start;
    const isNewer = data.every(({ created_at: time = -Infinity }) => time >= newest);
    const order = isNewer ? 'oldest first' : 'unknown';
    this.#start = { ...start, order };
    if (isNewer) this.#page = start.pages;
    return this.#add(data, order);
  }

  #hasEnded({ order }: Start): boolean {
    return order === 'oldest first' ? this.#page === 1 : this.#page >= this.#pages;
  }

  async #fetch(page: number): Promise<AttestationPage> {
    const answer = await this.#options.fetchPage(page, this.#to);
    const { data, pagination } = answer;
    if (pagination.page !== page || (data.length === 0 && page < pagination.page_count)) {
      throw outOfStep(page, pagination, data.length);
    }
    this.#pages = pagination.page_count;
    this.#total = pagination.total;
    this.#options.log.info(`page ${page} of ${Math.max(this.#pages, 1)}: ${data.length} attestations`);
    return answer;
  }

  #add(data: readonly ListedAttestation[], order: ListOrder): readonly ListedAttestation[] {
    return this.#options.tally.add(newestFirst(data, order), order);
  }
}

function outOfStep(
  asked: number,
  { page: answered, page_count: pages }: AttestationPage['pagination'],
  entries: number,
): ExternalError {
  return new ExternalError({
    what: `list-attestations: the service was asked for page ${asked} and answered page ${answered} of ${pages} with ${entries} attestations, so the list would be incomplete`,
    remedy:
      "Run the step again. If that does not help, list single pages by their number, and tell the service's operators.",
  });
}
