import { Connections } from '../../src/service/storage/postgres/connections.ts';
import { parseDatabaseUrl } from '../../src/service/storage/postgres/database-url.ts';

/*
 * Looks one row up, again and again, through the driver and the pool of the service and nothing else of it. Prints how many
 * times it did so per second. Its arguments: the URL of the database, the statement, its values as JSON, how many look-ups
 * run at the same time, the seconds before the measurement, and its seconds.
 */

const [url = '', text = '', values = '[]', concurrent = '1', warmUp = '0', seconds = '1'] = process.argv.slice(2);
// Written by the bench.
const parameters = JSON.parse(values) as readonly (string | null)[];
const connections = new Connections(parseDatabaseUrl(url));
const begins = performance.now() + Number(warmUp) * 1000;
const ends = begins + Number(seconds) * 1000;
let count = 0;

await Promise.all(Array.from({ length: Number(concurrent) }, lookUp));
await connections.close();
console.log(String(count / Number(seconds)));

async function lookUp(): Promise<void> {
  while (performance.now() < ends) {
    const client = await connections.acquire();
    const { rows } = await client.query({ name: 'version', text, values: [...parameters] });
    client.release();
    if (rows.length !== 1) throw new Error(`${rows.length} rows were found`);
    const now = performance.now();
    if (now >= begins && now < ends) count += 1;
  }
}
