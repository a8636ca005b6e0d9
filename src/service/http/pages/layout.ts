import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Html, html } from './html.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.25rem 1rem .25rem 0}
td{overflow-wrap:anywhere}`;

// A constant of this file: escaping it would change what its hash was made of.
const styleSheet = new Html(`<style>${style}</style>`);

// No script, no frame, no form and nothing from elsewhere can do anything on a page, whatever was reported.
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers with a page of the title and content. */
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

/** A table of facts, one a line; a line without a fact is left out. */
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

/** A time in Unix seconds, readable. */
export function renderTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
