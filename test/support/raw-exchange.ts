import { connect } from 'node:net';
import { conforms } from '../../src/contract/check.ts';
import { type ErrorBody, errorBody } from '../../src/contract/errors.ts';

/** A response on a raw connection. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Writes bytes to a server on a raw connection, and returns the response when the server closes the connection. If the
 * server would keep it open, the request needs `connection: close`.
 *
 * @param end half-closes the connection after the last byte, like a client that is interrupted
 */
export function rawExchange(url: string, bytes: string | Uint8Array, { end = false } = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n', 2);
      resolve({ status: Number(head.split(' ')[1] ?? 0), head, body });
    });
  });
}

/** A request as text. Content-Length is added if there is a body. */
export function rawRequest(line: string, headers: Readonly<Record<string, string>>, body = ''): string {
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const all = Object.entries({ host: 'localhost', connection: 'close', ...length, ...headers });
  return [`${line} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n');
}

/** The response as an error body. @throws TypeError if it is not one */
export function rawErrorOf({ body }: RawAnswer): ErrorBody {
  const parsed: unknown = JSON.parse(body);
  if (!conforms(errorBody, parsed)) throw new TypeError(`not an error body: ${body}`);
  return parsed;
}
