import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { PagePaths } from '../page-paths.ts';
import { allowCaching } from '../server/json-response.ts';

/** A file that belongs to the pages. Its name contains a digest, so that browsers can cache it forever. */
export interface Asset {
  readonly name: string;
  readonly type: string;
  readonly content: string;
}

/** The stylesheet of the pages: Simple.css, and what this project adds to it. */
export const stylesheet = createAsset(
  'pages',
  'css',
  'text/css; charset=utf-8',
  compactStyles(
    [import.meta.resolve('simpledotcss'), new URL('./pages.css', import.meta.url)]
      .map((address) => readFileSync(fileURLToPath(address), 'utf8'))
      .join('\n'),
  ),
);

/** The icon of the pages: a tick in a square. */
export const icon = createAsset(
  'icon',
  'svg',
  'image/svg+xml',
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1d4ed8"/>' +
    '<path d="M4 8.5l2.7 2.7L12 5.5" fill="none" stroke="#fff" stroke-width="2"/></svg>',
);

function createAsset(name: string, extension: string, type: string, content: string): Asset {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { name: `${name}-${digest}.${extension}`, type, content };
}

/** Leaves out comments and indentation. No string in the two stylesheets contains either. */
export function compactStyles(styles: string): string {
  return styles
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}

/** Adds the routes of the files. They need no key, and contain no data. */
export function addAssets(app: FastifyInstance): void {
  for (const { name, type, content } of [stylesheet, icon]) {
    app.get(`/-/${name}`, {
      onSend: allowCaching('public, max-age=31536000, immutable'),
      handler: (_request, reply) => reply.type(type).send(content),
    });
  }
}

export function assetPaths(paths: PagePaths): { readonly stylesheet: string; readonly icon: string } {
  return { stylesheet: paths.asset(stylesheet.name), icon: paths.asset(icon.name) };
}
