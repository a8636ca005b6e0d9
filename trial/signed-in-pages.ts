import { request } from 'node:http';
import { type LoopbackServer, serve } from '../tools/loopback-server.ts';

/** Starts a proxy that adds the key of the trial to each request, so that a browser sees the pages without signing in. */
export function openSignedInPages(service: string, key: string): Promise<LoopbackServer> {
  return serve((incoming, response) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const forwarded = request(new URL(incoming.url ?? '/', service), { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  });
}
