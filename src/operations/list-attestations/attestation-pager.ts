import type { AttestationPage, ListedAttestation } from '../../contract/attestation-list.ts';
import { ExternalError, Failure } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { detectOrder, type ListOrder, newestFirst } from './attestation-order.ts';
import type { AttestationTally } from './attestation-tally.ts';

interface PagerOptions {
  /** Fetches a page, counted from 1. */
  readonly fetchPage: (page: number) => Promise<AttestationPage>;
  readonly tally: AttestationTally;
  readonly log: Log;
  readonly signal: AbortSignal | undefined;
}

/** What the first page said. */
interface Start {
  readonly total: number;
  readonly pages: number;
  readonly order: ListOrder;
}

/** How many pages are fetched at most, given the number at the start: the list could grow as fast as it is read. */
const maximumPages = (pages: number): number => pages * 2 + 1000;

/**
 * Lists all attestations that exist at the start, the newest first, and ends even if others keep recording.
 *
 * - If the service lists the oldest first, full pages do not change. They are fetched from the last to the first.
 * - Otherwise the pages are fetched in their order. New attestations only move others to later pages.
 *
 * In any order, repeated attestations are left out, and the list is complete only if it has as many as the service
 * counted at the start.
 */
export class AttestationPager {
  readonly #options: PagerOptions;
  #start: Start | undefined;
  #page = 0;
  /** The number of pages in the last answer. */
  #pages = 0;
  #interruption: Failure | undefined;

  constructor(options: PagerOptions) {
    this.#options = options;
  }

  /**
   * The new attestations of the next page; undefined at the end. A failure is the end if a non-compliant attestation
   * was found before, because that decides anyway.
   *
   * @throws Failure if a page cannot be fetched
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

  /** Why the list is incomplete; undefined if it is complete. */
  get gap(): string | undefined {
    if (this.#interruption !== undefined) return `not all pages could be read: ${this.#interruption.message}`;
    const start = this.#start;
    if (start === undefined) return 'nothing was listed';
    const { listed } = this.#options.tally;
    if (listed < start.total) return `the service listed only ${listed} of ${start.total} attestations`;
    return this.#hasEnded(start) ? undefined : 'it grew faster than it could be read';
  }

  async #next(): Promise<readonly ListedAttestation[] | undefined> {
    const start = this.#start;
    if (start === undefined) return this.#first();
    if (this.#hasEnded(start)) return undefined;
    if (start.order === 'oldest first') return this.#list(this.#page - 1, start);
    return this.#page < maximumPages(start.pages) ? this.#list(this.#page + 1, start) : undefined;
  }

  async #first(): Promise<readonly ListedAttestation[]> {
    const { data, pagination } = await this.#fetch(1);
    const { total, page_count: pages } = pagination;
    const order = detectOrder(data);
    this.#start = { total, pages, order };
    if (order === 'oldest first' && pages > 1) {
      // The first page is fetched again as the last one, so that memory holds one page only.
      this.#page = pages + 1;
      return [];
    }
    this.#page = 1;
    return this.#add(data, order);
  }

  async #list(page: number, { order }: Start): Promise<readonly ListedAttestation[]> {
    const { data } = await this.#fetch(page);
    this.#page = page;
    return this.#add(data, order);
  }

  #hasEnded({ order }: Start): boolean {
    return order === 'oldest first' ? this.#page === 1 : this.#page >= this.#pages;
  }

  async #fetch(page: number): Promise<AttestationPage> {
    const answer = await this.#options.fetchPage(page);
    const { data, pagination } = answer;
    if (pagination.page !== page || (data.length === 0 && page < pagination.page_count)) {
      throw createWrongPageError(page, pagination, data.length);
    }
    this.#pages = pagination.page_count;
    this.#options.log.info(`page ${page} of ${Math.max(this.#pages, 1)}: ${data.length} attestations`);
    return answer;
  }

  #add(data: readonly ListedAttestation[], order: ListOrder): readonly ListedAttestation[] {
    return this.#options.tally.add(newestFirst(data, order), order);
  }
}

function createWrongPageError(
  asked: number,
  { page: answered, page_count: pages }: AttestationPage['pagination'],
  entries: number,
): ExternalError {
  return new ExternalError({
    what: `list-attestations: the service was asked for page ${asked} and returned page ${answered} of ${pages} with ${entries} attestations, so the list would be incomplete`,
    remedy:
      "Run the step again. If that does not help, list single pages by their number, and report this to the service's operators.",
  });
}
