import type { Endpoint } from '../contract/endpoint.ts';
import type { HttpResponse } from '../http/transport.ts';
import { parseHttpDate } from '../http/retry.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import { endpointLabel } from './service-error.ts';

/** Warns about deprecated endpoints: once for each, however often it is called. */
export class DeprecationNotices {
  readonly #dependencies: Pick<Dependencies, 'clock' | 'log'>;
  readonly #reported = new Set<string>();

  constructor(dependencies: Pick<Dependencies, 'clock' | 'log'>) {
    this.#dependencies = dependencies;
  }

  /**
   * @param url the URL of the request; links in the headers may be relative to it
   * @param headers the headers of the answer; absent if nothing was sent
   */
  report(endpoint: Endpoint, url: URL, headers: HttpResponse['headers'] = {}): void {
    const label = endpointLabel(endpoint);
    const notice = deprecationNotice(endpoint, { url, headers, now: this.#dependencies.clock.now() });
    if (notice === undefined || this.#reported.has(label)) return;
    this.#reported.add(label);
    this.#dependencies.log.notice(notice);
  }
}

/** The parts of an answer that can announce a deprecation. */
export interface DeprecationHeaders {
  readonly url: URL;
  readonly headers: HttpResponse['headers'];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The notice that an endpoint is deprecated, according to the contract or to the headers `Deprecation` (RFC 9745 and
 * its drafts) and `Sunset` (RFC 8594): since when, until when, and what to use instead, as far as known. Of the
 * headers, it contains only dates and web addresses. Undefined if the endpoint is not deprecated.
 */
export function deprecationNotice(endpoint: Endpoint, { url, headers, now }: DeprecationHeaders): string | undefined {
  const deprecation = parseDeprecation(headers['deprecation']);
  const sunset = parseHttpDate(headers['sunset']?.trim() ?? '');
  if (endpoint.deprecated === undefined && deprecation === undefined && sunset === undefined) return undefined;
  const links = parseLinks(headers['link'], url);
  const label = endpointLabel(endpoint);
  const successor = links.get('successor-version');
  const page = links.get('deprecation') ?? links.get('sunset');
  return [
    describeDeprecation(label, deprecation?.since, now),
    ...(sunset === undefined ? [] : [describeSunset(sunset, now)]),
    ...(endpoint.deprecated === undefined ? [] : [endpoint.deprecated]),
    ...(successor === undefined ? [] : [`Use ${successor} instead.`]),
    ...(page === undefined ? [] : [`See ${page}.`]),
  ].join(' ');
}

function describeDeprecation(label: string, since: number | undefined, now: number): string {
  const date = since === undefined ? undefined : formatDay(since);
  if (date === undefined || since === undefined) return `${label} is deprecated.`;
  return since > now ? `${label} will be deprecated on ${date}.` : `${label} has been deprecated since ${date}.`;
}

function describeSunset(sunset: number, now: number): string {
  const date = formatDay(sunset);
  if (date === undefined) return 'The service will remove it.';
  return sunset > now ? `The service plans to remove it on ${date}.` : `The service planned to remove it on ${date}.`;
}

/** The day in UTC; undefined if its year does not have four digits. */
function formatDay(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? date.toISOString().slice(0, 10) : undefined;
}

/** Reads a `Deprecation` header; undefined if it does not say that something is deprecated. */
function parseDeprecation(header: string | undefined): { readonly since?: number } | undefined {
  const value = header?.trim() ?? '';
  if (value === '' || value === 'false' || value === '?0') return undefined;
  const seconds = /^@(\d{1,12})(?![\d.])/u.exec(value)?.[1];
  const since = seconds === undefined ? parseHttpDate(value) : Number(seconds) * 1000;
  return since === undefined ? {} : { since };
}

const maximumLinkLength = 500;

/** The safe targets of a `Link` header (RFC 8288) by relation; the first one of each counts. */
function parseLinks(header: string | undefined, base: URL): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^<>]*)>([^<]*)/gu)) {
    const href = webAddress(target, base);
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([\w.-]+))/iu.exec(parameters);
    if (href === undefined || relations === null) continue;
    for (const relation of (relations[1] ?? relations[2] ?? '').toLowerCase().split(/\s+/u)) {
      if (!links.has(relation)) links.set(relation, href);
    }
  }
  return links;
}

function webAddress(target: string, base: URL): string | undefined {
  if (!URL.canParse(target, base.href)) return undefined;
  const { protocol, username, password, href } = new URL(target, base);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && username === '' && password === '' && href.length <= maximumLinkLength ? href : undefined;
}
