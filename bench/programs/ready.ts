import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Conversation } from '../conversation.ts';
import type { ReadyResult, ReadySettings } from '../ready.ts';
import { quantile } from '../statistics.ts';

/*
 * Asks a service whether it is ready, again and again, and does nothing else, so that nothing but the service delays an
 * answer. Takes its settings as JSON, prints a line when it has begun, and the result when its input ends.
 */

const [words = ''] = process.argv.slice(2);
// Written by the bench itself.
const { port, interval } = JSON.parse(words) as ReadySettings;
const request = 'GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
const latencies: number[] = [];
/** Connections on which nothing is asked at the moment: a late answer must not delay the next question. */
const idle: Conversation[] = [];
const stopped = new AbortController();
void once(process.stdin.resume(), 'end').then(() => {
  stopped.abort();
});

// More than are asked on at once, so that no question waits for its connection to be accepted.
for (let index = 0; index < 400; index += 1) idle.push(await Conversation.open(port));
await ask();
latencies.pop();
console.log('asking');
const asked: Promise<void>[] = [];
const begun = performance.now();
for (let turn = 1; !stopped.signal.aborted; turn += 1) {
  asked.push(ask());
  await setTimeout(Math.max(0, begun + turn * interval - performance.now()));
}
await Promise.all(asked);
for (const conversation of idle) conversation.close();
const result: ReadyResult = {
  count: latencies.length,
  p99: quantile(latencies, 0.99),
  worst: Math.max(...latencies),
};
console.log(JSON.stringify(result));

async function ask(): Promise<void> {
  const conversation = idle.pop() ?? (await Conversation.open(port));
  latencies.push(await conversation.ask(request, 200));
  idle.push(conversation);
}
