import type { ArtifactState, Verdict } from '../../../contract/compliance.ts';
import { escapeHtml } from '../../../runtime/escape-html.ts';
import { truncate } from '../../../runtime/truncate.ts';
import { expiryWarningPeriod } from '../../account/key-lifetime.ts';
import { withQuery } from './api-request.ts';
import { type Hole, type Html, html, link } from './html.ts';
import { exportFormats } from './list-export.ts';
import type { PageContext } from './page.ts';

export function pageLink(path: string, text: Hole): Html {
  return html`<a href="${path}">${text}</a>`;
}

/** Renders links to pages of this service, at most `maximum` of them; undefined if there are none. */
export function renderLinks(
  names: readonly string[],
  toPath: (name: string) => string,
  maximum = 10,
): Html | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, maximum).map((name) => html`${pageLink(toPath(name), name)} `);
  return html`${shown}${names.length > maximum ? `and ${names.length - maximum} more` : ''}`;
}

/** Renders facts, one a line. Those without a value are left out. */
export function renderFacts(rows: readonly (readonly [name: string, fact: Html | string | undefined | null])[]): Html {
  const lines = rows.flatMap(([name, fact]) =>
    fact === undefined || fact === null || fact === ''
      ? []
      : [
          html`<div>
            <dt>${name}</dt>
            <dd>${typeof fact === 'string' ? clip(fact) : fact}</dd>
          </div>`,
        ],
  );
  return html`<dl class="facts">${lines}</dl>`;
}

/** The maximum length of a reported text in a page, in characters. The API has all of it. */
const maximumText = 500;

/**
 * Truncates a reported text, because it can be much longer than a page; further if it has many characters that take
 * several bytes.
 */
export function clip(text: string, maximumLength = maximumText): string {
  let clipped = truncate(text, maximumLength);
  while (Buffer.byteLength(escapeHtml(clipped)) > maximumLength * 2) {
    clipped = truncate(clipped, Math.floor(clipped.length / 2));
  }
  return clipped;
}

/** The exact time: `2027-01-31 12:34:56 UTC`. */
export function describeExactly(seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** Renders a time (Unix seconds) relative to now; the exact time is its title. */
export function renderTime(seconds: number, { now }: Pick<PageContext, 'now'>): Html {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return html`an unknown time`;
  const iso = date.toISOString();
  const exact = describeExactly(seconds);
  return html`<time datetime="${iso}" title="${exact}">${describeTime(seconds - now)}</time>`;
}

/** Renders a time (Unix seconds) relative to now; `never` if there is none. */
export function renderTimeOrNever(seconds: number | undefined, context: Pick<PageContext, 'now'>): Hole {
  return seconds === undefined ? 'never' : renderTime(seconds, context);
}

/** The units of a duration in seconds, and from how many seconds on each is used. */
const units: readonly (readonly [name: string, seconds: number, from: number])[] = [
  ['year', 365 * 86_400, 2 * 365 * 86_400],
  ['month', 30 * 86_400, 60 * 86_400],
  ['day', 86_400, 2 * 86_400],
  ['hour', 3600, 3600],
  ['minute', 60, 60],
];

/** Describes a time by its distance in seconds: `3 hours ago`, `in 2 days`. */
export function describeTime(difference: number): string {
  const length = Math.abs(difference);
  const [unit, seconds] = units.find(([, , from]) => length >= from) ?? [];
  if (unit === undefined || seconds === undefined) return difference > 0 ? 'in a moment' : 'just now';
  const count = Math.floor(length / seconds);
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return difference > 0 ? `in ${words}` : `${words} ago`;
}

/** Describes a duration in seconds: `3 hours`. */
export function describeDuration(seconds: number): string {
  const words = describeTime(-seconds);
  return words === 'just now' ? 'less than a minute' : words.replace(/ ago$/, '');
}

const shownDigits = 12;

/** Renders the first digits of a fingerprint or commit; all of it is its title, which is printed on paper. */
export function renderHash(hash: string): Html {
  return html`<code title="${hash}">${hash.slice(0, shownDigits)}</code>`;
}

/** Renders the first digits of a commit, as a link if its address is known. */
export function renderCommit({ sha1, url }: { readonly sha1: string; readonly url?: string | undefined }): Html {
  return link(url, renderHash(sha1));
}

export type BadgeState = ArtifactState | Verdict | 'MISSING' | 'missing' | 'unjudged' | 'extra';

/** How each state looks: by color, shape and text, because no one of them is enough for all readers. */
const badges: Readonly<Record<BadgeState, readonly [tone: string, mark: string, text: string]>> = {
  COMPLIANT: ['good', '✓', 'Compliant'],
  compliant: ['good', '✓', 'Compliant'],
  'NON-COMPLIANT': ['bad', '✕', 'Not compliant'],
  'non-compliant': ['bad', '✕', 'Not compliant'],
  INCOMPLETE: ['open', '◐', 'Incomplete'],
  incomplete: ['open', '◐', 'Inconclusive'],
  MISSING: ['open', '○', 'Missing'],
  missing: ['open', '○', 'Missing'],
  unjudged: ['none', '–', 'Not judged'],
  extra: ['none', '+', 'Extra'],
};

export function describeState(state: BadgeState): string {
  return badges[state][2];
}

export function renderBadge(state: BadgeState, words?: string): Html {
  const [tone, mark, text] = badges[state];
  return html`<span class="badge ${tone}"><span aria-hidden="true">${mark}</span> ${words ?? text}</span>`;
}

/** Renders a state as an icon, with words for screen readers and the pointer. */
export function renderIcon(state: BadgeState, words: string, path?: string): Html {
  const [tone, mark] = badges[state];
  const label = html`class="icon ${tone}" title="${words}" aria-label="${words}"`;
  return path === undefined
    ? html`<span role="img" ${label}>${mark}</span>`
    : html`<a href="${path}" ${label}>${mark}</a>`;
}

export function renderLegend(states: readonly BadgeState[]): Html {
  return html`<p class="legend">${states.map((state) => html`${renderBadge(state)} `)}</p>`;
}

/** What a record counts for, if not all environments. Names are left out: a reader may not know them. */
export function describeCountsFor(countsFor: readonly string[] | undefined): string | undefined {
  if (countsFor === undefined) return undefined;
  return countsFor.length === 0
    ? 'its trail and flow, and no environment'
    : 'its trail and flow, and the environments that the login rule named';
}

/** Renders when a key expires (Unix seconds), marked if that is soon or over. */
export function renderExpiry(expiresAt: number, context: Pick<PageContext, 'now'>): Html {
  const time = renderTime(expiresAt, context);
  if (expiresAt <= context.now) return html`${renderBadge('NON-COMPLIANT', 'Expired')} ${time}`;
  if (expiresAt > context.now + expiryWarningPeriod) return time;
  return html`${renderBadge('INCOMPLETE', 'Expires soon')} ${time}`;
}

export function renderVerdict(compliant: boolean | null): Html {
  return renderBadge(toVerdictState(compliant));
}

export function toVerdictState(compliant: boolean | null): BadgeState {
  if (compliant === null) return 'unjudged';
  return compliant ? 'COMPLIANT' : 'NON-COMPLIANT';
}

export function renderResult(state: BadgeState, reason: Hole): Html {
  const [tone] = badges[state];
  return html`<p class="result ${tone}">${renderBadge(state)} <span>${reason}</span></p>`;
}

export function renderFailure(reason: Hole, attributes?: Html): Html {
  return html`<p class="result bad" ${attributes}><span>${reason}</span></p>`;
}

/** Renders what a list without entries says instead: why it is empty, and what to do next. */
export function renderEmpty(words: Hole): Html {
  return html`<p class="empty">${words}</p>`;
}

export function renderPager(previous: string | undefined, next: string | undefined, words: string): Html | undefined {
  if (previous === undefined && next === undefined) return undefined;
  const item = (path: string | undefined, text: string, rel: string): Html =>
    path === undefined ? html`` : html`<a class="button" rel="${rel}" href="${path}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages">
    ${item(previous, '← Previous', 'prev')}<span>${words}</span>${item(next, 'Next →', 'next')}
  </nav>`;
}

/** @param list `page` is counted from 1; `total` is the number of entries of the whole list */
export function renderPageLinks(
  { page, perPage, total }: { readonly page: number; readonly perPage: number; readonly total: number },
  toPath: (page: number) => string,
): Html | undefined {
  const previous = page > 1 ? toPath(page - 1) : undefined;
  const next = page * perPage < total ? toPath(page + 1) : undefined;
  return renderPager(previous, next, `Page ${page}`);
}

/**
 * Renders the links that download a list of a page.
 *
 * @param words the name of the list in words: `All flows`
 * @param list its name in the declaration of the page, whose address is `path` with `query`
 */
export function renderDownloads(
  words: string,
  list: string,
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Html {
  const links = exportFormats.map((format) => {
    const address = withQuery(path, { ...query, download: `${list}.${format}` });
    return html`<a class="button" href="${address}" download>${format.toUpperCase()}</a> `;
  });
  return html`<p class="downloads">${words} as ${links}</p>`;
}

/** Renders free-form data as indented JSON, truncated. */
export function renderJson(value: unknown): Html {
  const text = JSON.stringify(value, undefined, 2);
  return html`<pre tabindex="0"><code>${clip(text, 4000)}</code></pre>`;
}
