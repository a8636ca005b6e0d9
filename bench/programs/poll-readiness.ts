import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Connection } from '../connection.ts';
import type { ReadinessResult, ReadinessSettings } from '../readiness-settings.ts';
import { quantile } from '../statistics.ts';

/*
 * Polls /ready of a service and does nothing else, so that only the service delays a response. Takes its settings as JSON,
 * prints a line when it has started, and the result when its standard input ends.
 */

const [words = ''] = process.argv.slice(2);
// Written by the bench.
const { port, interval } = JSON.parse(words) as ReadinessSettings;
const request = 'GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
const latencies: number[] = [];
/** Connections without a pending request: a late response must not delay the next request. */
const idle: Connection[] = [];
const stopped = new AbortController();
void once(process.stdin.resume(), 'end').then(() => {
  stopped.abort();
});

// More than are used at once, so that no request waits for a new connection.
for (let index = 0; index < 400; index += 1) idle.push(await Connection.open(port));
await sendRequest();
latencies.pop();
console.log('polling');
const requests: Promise<void>[] = [];
const started = performance.now();
for (let turn = 1; !stopped.signal.aborted; turn += 1) {
  requests.push(sendRequest());
  await setTimeout(Math.max(0, started + turn * interval - performance.now()));
}
await Promise.all(requests);
for (const connection of idle) connection.close();
const result: ReadinessResult = {
  count: latencies.length,
  p99: quantile(latencies, 0.99),
  worst: Math.max(...latencies),
};
console.log(JSON.stringify(result));

async function sendRequest(): Promise<void> {
  const connection = idle.pop() ?? (await Connection.open(port));
  latencies.push(await connection.request(request, 200));
  idle.push(connection);
}
