import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '../../tools/loopback-server.ts';

/** A request to a fake. */
export interface FakeRequest {
  readonly method: string;
  /** The path and query as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty if there is none. */
  readonly body: string;
}

/** A response of a fake; `never` does not respond, and `cut` closes the connection within the body. */
export type FakeReply =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'never'
  | 'cut';

/** A fake of another system, on the loopback interface. */
export interface FakeServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The requests that were received completely, in order. */
  readonly requests: readonly FakeRequest[];
  readonly close: () => Promise<void>;
}

/** Starts a fake that answers each request when it has received it. The caller must close it. */
export async function startFakeServer(
  answer: (request: FakeRequest) => FakeReply | Promise<FakeReply>,
): Promise<FakeServer> {
  const requests: FakeRequest[] = [];
  const { url, port, close } = await serve((incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    void text(incoming).then(async (body) => {
      const request = { method, url: path, headers, body };
      requests.push(request);
      const reply = await answer(request);
      if (reply === 'never') return;
      if (reply === 'cut') {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"sha":', () => response.destroy());
        return;
      }
      response.writeHead(reply.status, reply.headers).end(method === 'HEAD' ? '' : reply.body);
    });
  });
  return { url, port, requests, close };
}
