import { request as requestPlain, type ClientRequest } from 'node:http';
import { request as requestSecure } from 'node:https';
import { pinnedLookup, resolvePermittedAddress, type Refusals, type Web } from '../network/permitted-address.ts';

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

/**
 * Creates the function that fetches documents of token issuers. Connections go to the address that was checked, and
 * redirects are not followed.
 */
export function createFetchJson(web: Web): FetchJson {
  return async (url) => {
    const address = await resolvePermittedAddress(web, url, refusals);
    const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
      agent: false,
      lookup: pinnedLookup(address),
      signal: AbortSignal.timeout(timeout),
      headers: { accept: 'application/json', 'user-agent': 'compliance-service' },
    });
    return JSON.parse(await readAnswer(request)) as unknown;
  };
}

function readAnswer(request: ClientRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    request.on('response', (response) => {
      const { statusCode = 0 } = response;
      const fail = (reason: string): void => {
        response.destroy();
        reject(new Error(reason));
      };
      if (statusCode !== 200) {
        fail(`it answered ${statusCode}`);
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maximumBytes) fail(`it answered with more than ${maximumBytes} bytes`);
      });
      response.on('end', () => {
        resolve(Buffer.concat(chunks).toString('utf8'));
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}
