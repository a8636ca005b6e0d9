import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Html, html } from './html.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.25rem 1rem .25rem 0}
td{overflow-wrap:anywhere}`;

// Not escaped, because that would change the hash in the Content-Security-Policy. It is a constant.
const styleSheet = new Html(`<style>${style}</style>`);

// Pages cannot run scripts, be framed, submit forms or load anything, even if reported data contains markup.
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a page. */
export function sendPage(reply: FastifyReply, title: string, content: Html, status = 200): FastifyReply {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${styleSheet}
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html> `;
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
    })
    .send(page.text);
}

/** Renders a table with one fact per row. Rows without a value are left out. */
export function renderFacts(rows: readonly (readonly [name: string, fact: Html | string | undefined | null])[]): Html {
  const lines = rows.flatMap(([name, fact]) =>
    fact === undefined || fact === null || fact === ''
      ? []
      : [
          html`<tr>
            <th scope="row">${name}</th>
            <td>${fact}</td>
          </tr>`,
        ],
  );
  return html`<table>
    ${lines}
  </table>`;
}

/** Renders a time in Unix seconds as ISO 8601. */
export function renderTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
