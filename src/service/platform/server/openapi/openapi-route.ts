import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Links } from '../../links.ts';
import { allowCaching, prepareJson, SerializedJson } from '../json-response.ts';
import { createOpenApiDocument } from './document.ts';

export function addOpenApiRoute(app: FastifyInstance, url: string, links: Pick<Links, 'base'>): void {
  let built: { readonly json: SerializedJson<unknown>; readonly tag: string } | undefined;
  // Built at the first request, because the address of the service is not known before.
  const build = (): NonNullable<typeof built> => {
    const json = new SerializedJson<unknown>(Buffer.from(JSON.stringify(createOpenApiDocument(links.base()))));
    return { json, tag: `"${createHash('sha256').update(json.bytes).digest('hex').slice(0, 32)}"` };
  };
  app.get(url, {
    onSend: allowCaching('public, no-cache'),
    handler: (request, reply) => {
      const { json, tag } = (built ??= build());
      reply.header('etag', tag);
      if (matches(request.headers['if-none-match'], tag)) return reply.code(304).send();
      return reply.send(prepareJson(reply, 200, json));
    },
  });
}

/** Whether an `If-None-Match` header names the tag (RFC 9110, 13.1.2: by the weak comparison). */
function matches(header: string | undefined, tag: string): boolean {
  return (header ?? '').split(',').some((known) => ['*', tag, `W/${tag}`].includes(known.trim()));
}
