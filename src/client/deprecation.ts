import { type Endpoint, findDeprecatedFields } from '../contract/endpoint.ts';
import { parseHttpDate } from '../http/retry.ts';
import type { HttpResponse } from '../http/transport.ts';
import { toDay, unixSeconds } from '../runtime/clock.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import { endpointLabel } from './service-error.ts';

/** Warns about deprecated endpoints and fields: once for each, however often it is called. */
export class DeprecationNotices {
  readonly #dependencies: Pick<Dependencies, 'clock' | 'log'>;
  readonly #reported = new Set<string>();

  constructor(dependencies: Pick<Dependencies, 'clock' | 'log'>) {
    this.#dependencies = dependencies;
  }

  /**
   * @param request the URL of the request, to which links in the headers may be relative, and its document
   * @param headers the headers of the answer; absent if nothing was sent
   */
  report(
    endpoint: Endpoint,
    { url, document }: { readonly url: URL; readonly document: unknown },
    headers: HttpResponse['headers'] = {},
  ): void {
    const { clock, log } = this.#dependencies;
    const fields = findDeprecatedFields(endpoint, document);
    const notice = deprecationNotice(endpoint, { url, headers, now: clock.now(), fields });
    const label = [endpointLabel(endpoint), ...fields].join(' ');
    if (notice === undefined || this.#reported.has(label)) return;
    this.#reported.add(label);
    // Whoever sets a field can leave it out; nobody chose the endpoint of an operation.
    if (fields.length > 0) log.warning(notice);
    else log.notice(notice);
  }
}

/** The parts of an answer that can announce a deprecation. */
export interface DeprecationHeaders {
  readonly url: URL;
  readonly headers: HttpResponse['headers'];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The deprecated fields of the request. The header is about them, if there are any. */
  readonly fields?: readonly string[];
}

/**
 * The notice that an endpoint or a field of the request is deprecated, according to the contract or to the headers
 * `Deprecation` (RFC 9745 and its drafts) and `Sunset` (RFC 8594): since when, until when, and what to use instead, as
 * far as known. Of the headers, it contains only dates and web addresses. Undefined if nothing is deprecated.
 */
export function deprecationNotice(
  endpoint: Endpoint,
  { url, headers, now, fields = [] }: DeprecationHeaders,
): string | undefined {
  const deprecation = parseDeprecation(headers['deprecation']);
  const sunset = parseHttpDate(headers['sunset']?.trim() ?? '');
  const known = [endpoint.deprecated, ...fields.map((field) => endpoint.deprecatedFields?.[field])];
  const instead = known.filter((sentence) => sentence !== undefined);
  if (instead.length === 0 && deprecation === undefined && sunset === undefined) return undefined;
  const links = parseLinks(headers['link'], url);
  const label = describeSubject(endpoint, fields);
  const successor = links.get('successor-version');
  const page = links.get('deprecation') ?? links.get('sunset');
  return [
    describeDeprecation(label, deprecation?.since, now),
    ...(sunset === undefined ? [] : [describeSunset(sunset, now)]),
    ...instead,
    ...(successor === undefined ? [] : [`Use ${successor} instead.`]),
    ...(page === undefined ? [] : [`See ${page}.`]),
  ].join(' ');
}

function describeSubject(endpoint: Endpoint, fields: readonly string[]): string {
  const used = fields.map((field) => `\`${field}\``).join(' and ');
  return endpointLabel(endpoint) + (used === '' ? '' : ` with ${used}`);
}

function describeDeprecation(label: string, since: number | undefined, now: number): string {
  if (since === undefined) return `${label} is deprecated.`;
  const date = toDay(unixSeconds(since));
  return since > now ? `${label} will be deprecated on ${date}.` : `${label} has been deprecated since ${date}.`;
}

function describeSunset(sunset: number, now: number): string {
  const date = toDay(unixSeconds(sunset));
  return sunset > now ? `The service plans to remove it on ${date}.` : `The service planned to remove it on ${date}.`;
}

/** Reads a `Deprecation` header; undefined if it does not say that something is deprecated. */
function parseDeprecation(header: string | undefined): { readonly since?: number } | undefined {
  const value = header?.trim() ?? '';
  if (value === '' || value === 'false' || value === '?0') return undefined;
  const seconds = /^@(\d{1,11})(?![\d.])/u.exec(value)?.[1];
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
