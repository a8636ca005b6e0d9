import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../runtime/clock.ts';
import { withDeadline } from '../../platform/network/deadline.ts';
import type { Refusals, Web } from '../../platform/network/permitted-address.ts';
import { sendRequest } from '../../platform/network/send-request.ts';

/** Fetches a JSON document. Rejects if the answer is not one. */
export type FetchJson = (url: URL) => Promise<unknown>;

/** The maximum size of a document, in bytes: issuers have a few keys, and those of many issuers are kept in memory. */
const maximumBytes = 64 * 1024;

/** The time limit for the whole answer, in milliseconds: a step waits for it. */
const timeout = 5000;

const refusals: Refusals = {
  metadata: (name, address) =>
    `the token issuer ${name} has the address ${address} of a cloud's metadata service, which is never called`,
  'not public': (name, address) =>
    `the token issuer ${name} has the private address ${address}; start the service with --allow-private-issuers to permit it`,
};

/** Creates the function that fetches documents of token issuers. */
export function createFetchJson(web: Web, { after }: Pick<Clock, 'after'>): FetchJson {
  const headers = { accept: 'application/json' };
  return (url) =>
    withDeadline({ after }, timeout, async (signal) => {
      const response = await sendRequest(web, { method: 'GET', url, headers, refusals, signal });
      return parseJson(await readAnswer(response));
    });
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const { statusCode = 0 } = response;
  if (statusCode !== 200) {
    response.destroy();
    throw new Error(`it answered ${statusCode}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maximumBytes) throw new Error(`it answered with more than ${maximumBytes} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The error of `JSON.parse` quotes the answer, which is not trusted and could have lines of its own. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it answered with something else than JSON');
  }
}
