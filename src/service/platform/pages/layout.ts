import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { assetPaths } from './assets.ts';
import { Html, html } from './html.ts';
import type { Page, PageContext, Section } from './page.ts';

/** The only script: copies hashes, focuses the search, and keeps fragments at the sign-in. Pages work without it. */
const script = readFileSync(new URL('./pages.js', import.meta.url), 'utf8');

// Pages load only the stylesheet and the icon of this service. They cannot run other scripts, be framed, or submit forms
// to another site, even if reported data contained markup.
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every page. The address of a page is not sent to other sites. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'same-origin',
} as const;

export function sendPage(reply: FastifyReply, page: Page, context: PageContext): FastifyReply {
  return reply
    .code(page.status ?? 200)
    .headers(pageHeaders)
    .send(renderPage(page, context).text);
}

function renderPage(page: Page, context: PageContext): Html {
  const { title, kind, section, api = [], content } = page;
  const { paths, org } = context;
  const files = assetPaths(paths);
  const name = [title, org === title ? undefined : org, 'Compliance'].filter((part) => part !== undefined).join(' · ');
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${kind === undefined ? '' : `${kind} `}${name}</title>
        <link rel="stylesheet" href="${files.stylesheet}" />
        <link rel="icon" type="image/svg+xml" href="${files.icon}" />
      </head>
      <body ${page.isWide === true ? html`class="wide"` : undefined}>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <div class="bar">
            <a class="brand" href="${paths.home()}"><span aria-hidden="true">✓</span> Compliance</a>
            ${renderSections(section, context)} ${renderSearch(context)} ${renderViewer(context)}
          </div>
        </header>
        <main id="content">
          ${renderCrumbs(page, context)}
          <h1>${kind === undefined ? undefined : html`<small>${kind}</small> `}${title}</h1>
          ${content}
        </main>
        ${renderApi(api, context)} ${new Html(`<script>${script}</script>`)}
      </body>
    </html> `;
}

const sectionNames: Readonly<Record<Exclude<Section, 'search'>, string>> = {
  overview: 'Overview',
  flows: 'Flows',
  environments: 'Environments',
  policies: 'Policies',
  administration: 'Admin',
};

function renderSections(current: Section | undefined, { org, paths, viewer }: PageContext): Html | undefined {
  if (org === undefined || viewer === undefined) return undefined;
  const item = (section: keyof typeof sectionNames, path: string): Html => {
    const mark = section === current ? html` aria-current="page"` : undefined;
    return html`<li><a href="${path}" ${mark}>${sectionNames[section]}</a></li>`;
  };
  return html`<nav aria-label="Sections">
    <ul>
      ${[
        item('overview', paths.organization(org)),
        item('flows', paths.flows(org)),
        item('environments', paths.environments(org)),
        item('policies', paths.policies(org)),
        ...(viewer.isAdmin ? [item('administration', paths.administration(org))] : []),
      ]}
    </ul>
  </nav>`;
}

function renderSearch({ org, paths, viewer }: PageContext): Html | undefined {
  if (org === undefined || viewer === undefined) return undefined;
  return html`<form class="search" role="search" method="get" action="${paths.search(org)}">
    <input
      type="search"
      name="q"
      maxlength="255"
      required
      aria-label="Search for a fingerprint, a commit or a name"
      placeholder="Fingerprint, commit or name"
    />
    <button>Search</button>
  </form>`;
}

function renderViewer({ viewer, paths }: PageContext): Html | undefined {
  if (viewer === undefined) return undefined;
  const { name, formToken } = viewer;
  if (formToken === undefined) return html`<p class="viewer">${name}</p>`;
  return html`<form class="viewer" method="post" action="${paths.signOut()}">
    <a href="${paths.sessions()}">${name}</a>
    <input type="hidden" name="token" value="${formToken}" />
    <button>Sign out</button>
  </form>`;
}

function renderCrumbs({ crumbs = [], section }: Page, { org, paths, viewer }: PageContext): Html | undefined {
  if (viewer === undefined) return undefined;
  const isBelow = org !== undefined && section !== 'overview';
  const organization = isBelow ? [{ name: org, path: paths.organization(org) }] : [];
  const all = [{ name: 'Home', path: paths.home() }, ...organization, ...crumbs];
  return html`<nav class="crumbs" aria-label="Breadcrumbs">
    <ol>
      ${all.map(({ name, path }) => html`<li><a href="${path}">${name}</a></li>`)}
    </ol>
  </nav>`;
}

function renderApi(api: readonly string[], { apiBase }: PageContext): Html | undefined {
  if (api.length === 0) return undefined;
  const requests = api.map((request) => {
    const [method = '', path = ''] = request.split(' ', 2);
    return html`<li><code>${method} ${apiBase}${path}</code></li>`;
  });
  return html`<footer>
    <p id="api">The same data from the API:</p>
    <ul aria-labelledby="api">
      ${requests}
    </ul>
  </footer>`;
}
