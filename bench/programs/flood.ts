import { createInterface } from 'node:readline';
import { createSend } from '../../test/support/hostile-requests.ts';
import { floods } from '../hostile/floods.ts';

/*
 * Floods a service in a process of its own: prepares, says so, and sends from the first line on standard input to its
 * end. Then prints how often each status was answered, as JSON.
 */

const [name = '', url = '', key = ''] = process.argv.slice(2);
const flood = floods.find((one) => one.name === name);
if (flood === undefined) throw new Error(`there is no flood '${name}'`);

const statuses = new Map<string, number>();
const send = await flood.prepare({ url, key, send: createSend(url, key) });
console.log('prepared');

const lines = createInterface({ input: process.stdin });
let isOver = false;
lines.once('close', () => {
  isOver = true;
});
await new Promise((resolve) => lines.once('line', resolve));
let turn = 0;
await Promise.all(
  Array.from({ length: flood.connections }, async () => {
    // Read through a function: another callback sets it.
    while (!hasEnded()) {
      turn += 1;
      const word = String(await send(turn));
      statuses.set(word, (statuses.get(word) ?? 0) + 1);
    }
  }),
);
console.log(JSON.stringify(Object.fromEntries(statuses)));
process.exit();

function hasEnded(): boolean {
  return isOver;
}
