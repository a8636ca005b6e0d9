import { type IncomingHttpHeaders, request as sendOn } from 'node:http';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { readingAnswerFirst } from '../../src/http/early-answer.ts';
import { serve } from '../../tools/loopback-server.ts';

export interface ProxyRequest {
  /** `CONNECT` for a tunnel. */
  readonly method: string;
  /** As on the request line: an absolute URL, or `host:port` for a tunnel. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** A proxy on the loopback interface that forwards plain HTTP and opens tunnels. */
export interface ProxyServer {
  /** Its address without user and password. */
  readonly url: URL;
  readonly requests: readonly ProxyRequest[];
  close(): Promise<void>;
}

/** How the proxy behaves. */
export interface ProxyBehaviour {
  /** Answers 407 to everything. */
  readonly wantsPassword?: boolean;
  /** The target of all tunnels, for any requested host. */
  readonly tunnelsTo?: number;
}

/**
 * Connects a tunnel. A server that refuses an upload answers and closes the connection while the proxy still writes to
 * it; the answer must be relayed although that write fails.
 */
const connectTunnel = readingAnswerFirst(buildConnector({}));

export async function startProxy({ wantsPassword = false, tunnelsTo }: ProxyBehaviour = {}): Promise<ProxyServer> {
  const requests: ProxyRequest[] = [];
  const tunnels = new Set<Socket>();
  const { url, server, close } = await serve((request, response) => {
    const { method = '', url: target = '', headers } = request;
    requests.push({ method, target, headers });
    if (wantsPassword) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' });
      response.end();
      return;
    }
    const own = Object.entries(headers).filter(([name]) => name !== 'proxy-authorization');
    const onward = sendOn(target, { method, headers: Object.fromEntries(own), agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request, socket: Socket, head) => {
    const { method = '', url: target = '', headers } = request;
    requests.push({ method, target, headers });
    tunnels.add(socket);
    socket.on('error', () => undefined);
    if (wantsPassword) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="proxy"\r\n\r\n');
      return;
    }
    const port = String(tunnelsTo ?? target.split(':').at(-1));
    connectTunnel({ protocol: 'http:', hostname: '127.0.0.1', port }, (...[error, onward]) => {
      if (error !== null) {
        socket.destroy();
        return;
      }
      tunnels.add(onward);
      onward.on('error', () => socket.destroy());
      onward.on('close', () => socket.destroy());
      socket.on('close', () => onward.destroy());
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
  });
  return {
    url: new URL(url),
    requests,
    close: () => {
      for (const socket of tunnels) socket.destroy();
      return close();
    },
  };
}
