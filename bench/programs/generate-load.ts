import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { LoadResult, LoadSettings } from '../load-settings.ts';
import { ResponseReader } from '../response-reader.ts';
import { quantile } from '../statistics.ts';

/*
 * Puts a service under load: on each connection, the next request follows the response to the one before. Reads its settings
 * from a file and prints the result as JSON. Uses sockets, because Node's HTTP client takes more time for a request than the
 * services that are measured.
 */

const [path = ''] = process.argv.slice(2);
// Written by the bench.
const settings = JSON.parse(await readFile(path, 'utf8')) as LoadSettings;
const { counted } = settings;
const requests = settings.requests.map((text) => ({ bytes: Buffer.from(text), counters: findCounters(text) }));
// The same service is measured several times, and must not see a number again for hours: the numbers of a load that begins
// later are higher, unless it was answered 20,000 requests per second.
const first = Number(counted ?? 0) + ((Date.now() * 20) % 1e9);
const begins = performance.now() + settings.warmUpSeconds * 1000;
const ends = begins + settings.seconds * 1000;
const latencies: number[] = [];
let next = 0;

await Promise.all(Array.from({ length: settings.connections }, sendRequests));
const result: LoadResult = {
  perSecond: latencies.length / settings.seconds,
  p50: quantile(latencies, 0.5),
  p99: quantile(latencies, 0.99),
};
console.log(JSON.stringify(result));

async function sendRequests(): Promise<void> {
  const socket = connect({ port: settings.port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const reader = new ResponseReader();
  let sent = 0;
  const send = (): void => {
    const request = nextRequest();
    sent = performance.now();
    socket.write(request);
  };
  socket.on('data', (chunk) => {
    const status = reader.push(chunk);
    if (status === undefined) return;
    if (status !== settings.status) throw new Error(`answered ${status}:\n${chunk.toString('utf8')}`);
    const now = performance.now();
    if (now >= begins && now < ends) latencies.push(now - sent);
    if (now < ends) send();
    else socket.end();
  });
  const closed = once(socket, 'close');
  send();
  await closed;
  if (performance.now() < ends) throw new Error('the service closed a connection');
}

/** The positions of the counted number in a request, in bytes. */
function findCounters(text: string): readonly number[] {
  if (counted === undefined) return [];
  return [...text.matchAll(new RegExp(counted, 'gu'))].map(({ index }) => Buffer.byteLength(text.slice(0, index)));
}

function nextRequest(): Buffer {
  const request = requests[next % requests.length];
  if (request === undefined) throw new TypeError('there are no requests');
  next += 1;
  if (request.counters.length === 0) return request.bytes;
  // A copy, because another connection may still be sending the bytes.
  const bytes = Buffer.from(request.bytes);
  const number = String(first + next);
  for (const offset of request.counters) bytes.write(number, offset, 'latin1');
  return bytes;
}
