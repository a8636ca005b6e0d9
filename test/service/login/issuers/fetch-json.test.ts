import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../../src/runtime/clock.ts';
import { createFetchJson } from '../../../../src/service/login/issuers/fetch-json.ts';

const maximumBytes = 65_536;
const loopback = { address: '127.0.0.1', family: 4 };
const resolve = (): Promise<readonly (typeof loopback)[]> => Promise.resolve([loopback]);

describe('documents of a token issuer', () => {
  let server: Server;
  let address: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/keys') response.end('{"keys":[]}');
      else if (request.url === '/largest') response.end(JSON.stringify('x'.repeat(maximumBytes - 2)));
      else if (request.url === '/text') response.end('{"keys":[]}\nforged line of the log');
      else if (request.url === '/larger') response.end(JSON.stringify('x'.repeat(maximumBytes - 1)));
      else response.writeHead(302, { location: '/keys' }).end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const bound = server.address();
    address = `http://issuer.example.com:${typeof bound === 'object' ? (bound?.port ?? 0) : 0}`;
  });
  afterAll(async () => {
    await new Promise((done) => server.close(done));
  });

  const fetchJson = createFetchJson({ resolve, allowPrivate: true }, systemClock);

  it('are fetched from the address that was checked', async () => {
    expect(await fetchJson(new URL(`${address}/keys`))).toEqual({ keys: [] });
  });

  it('are not fetched from a private address, unless the operator allows it', async () => {
    const guarded = createFetchJson({ resolve, allowPrivate: false }, systemClock);
    await expect(guarded(new URL(`${address}/keys`))).rejects.toThrow('--allow-private-issuers');
  });

  it('are never fetched from a metadata service', async () => {
    await expect(fetchJson(new URL('http://169.254.169.254/keys'))).rejects.toThrow('never called');
  });

  it('are not found behind redirects, and have a limit', async () => {
    await expect(fetchJson(new URL(`${address}/elsewhere`))).rejects.toThrow('it answered 302');
    expect(await fetchJson(new URL(`${address}/largest`))).toHaveLength(maximumBytes - 2);
    await expect(fetchJson(new URL(`${address}/larger`))).rejects.toThrow('it answered with more than 65536 bytes');
  });

  it('are JSON, and are not quoted in the error otherwise', async () => {
    await expect(fetchJson(new URL(`${address}/text`))).rejects.toThrow(/^it answered with something else than JSON$/u);
  });
});
