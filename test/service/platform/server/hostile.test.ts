import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Endpoint } from '../../../../src/contract/endpoint.ts';
import { maximumDocumentBytes } from '../../../../src/contract/limits.ts';
import { isMapping, type Mapping, valueAt } from '../../../../src/runtime/untrusted-data.ts';
import { everyEndpoint } from '../../../support/every-endpoint.ts';
import { prepareEverything } from '../../../support/prepare-organization.ts';
import { rawErrorOf, rawExchange, rawRequest } from '../../../support/raw-exchange.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { type Call, call, type Called } from '../../../support/service-call.ts';
import { createTestStorage, type TestStorage } from '../../../support/test-storage.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const bytes = (text: string): Bytes => new TextEncoder().encode(text);
const around = (start: string, middle: readonly number[], end: string): Bytes =>
  Uint8Array.from([...bytes(start), ...middle, ...bytes(end)]);

/** Documents that every endpoint must reject. */
const hostileDocuments: readonly (readonly [name: string, document: Bytes])[] = [
  ['nothing', bytes('')],
  ['null', bytes('null')],
  ['a list', bytes('[]')],
  ['a text', bytes('"x"')],
  ['an empty object', bytes('{}')],
  ['no JSON', bytes('{"name"')],
  ['two documents', bytes('{}{}')],
  ['a byte order mark before an object', around('', [0xef, 0xbb, 0xbf], '{}')],
  ['no UTF-8', around('{"name":"', [0xff, 0xfe], '"}')],
  ['an overlong encoding', around('{"name":"', [0xc0, 0xaf], '"}')],
  ['a surrogate in UTF-8', around('{"name":"', [0xed, 0xa0, 0x80], '"}')],
  ['UTF-16', Uint8Array.from(Buffer.from('{"name":"x"}', 'utf16le'))],
  ['NUL', bytes('{"name":"a\\u0000b"}')],
  ['NUL in a key', bytes('{"a\\u0000":1}')],
  ['a lone surrogate', bytes('{"name":"\\ud800"}')],
  ['a lone surrogate in a key', bytes('{"\\udc00":1}')],
  ['a number without bounds', bytes('{"name":1e999}')],
  ['a deep list', bytes('['.repeat(200_000) + ']'.repeat(200_000))],
  ['deep objects', bytes('{"name":'.repeat(50_000) + '1' + '}'.repeat(50_000))],
  ['a deep list that never ends', bytes('['.repeat(500_000))],
  ['__proto__', bytes('{"__proto__":{"name":"x","policy_names":["x"]}}')],
  ['constructor', bytes('{"constructor":{"prototype":{"name":"x"}}}')],
  ['the same key twice', bytes('{"unknown":1,"unknown":2}')],
];

/** Texts that no path parameter but the name of an attestation may be. */
const attestationNames = ['-', '__proto__'];

/** Texts that no path parameter may be, as they stand in an address. */
const hostileSegments = [
  '%2e%2e%2f',
  '%2e%2e%2f%2e%2e%2fother',
  '..%5c..',
  '%00',
  'a%00b',
  '%ff%fe',
  '%ed%a0%80',
  '%zz',
  'a%2fb',
  '%0d%0aX-Injected:%20yes',
  '%20',
  ...attestationNames,
  '%F0%9F%92%A5',
  "'%20OR%201=1--",
  'x'.repeat(8000),
];

const hostileQueries = 'unknown=1 __proto__=1 __proto__[x]=1 page=1e9 %ff=1 a%00=1 constructor.prototype=1'.split(' ');

const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/mixed; boundary=b',
  ';',
];

interface Target {
  readonly endpoint: Endpoint;
  readonly request: (org: string) => Call;
}

/** How many hostile things each endpoint gets. */
const sampleSize = 4;

/**
 * What is sent to an endpoint: all endpoints share what reads a request, so each gets only some, always others, and the
 * first of each kind of body gets all.
 */
function sampleFor<Item>(target: Target, targets: readonly Target[], items: readonly Item[]): readonly Item[] {
  const { kind } = target.endpoint.body;
  if (targets.find(({ endpoint }) => endpoint.body.kind === kind) === target) return items;
  const start = targets.indexOf(target) * sampleSize;
  return items.filter((_, index) => (((index - start) % items.length) + items.length) % items.length < sampleSize);
}

const withBody = everyEndpoint.filter(({ endpoint }) => endpoint.body.kind !== 'none');

describe('a hostile request', () => {
  let storage: TestStorage;
  let service: TestService;
  let before: string;
  beforeAll(async () => {
    storage = await createTestStorage();
    service = await startTestService({ storage });
    await prepareEverything(service, 'acme', service.apiKey);
    // The first use of a key is recorded later, at the latest when the service stops.
    await service.stop();
    service = await startTestService({ storage });
    before = await recorded();
  });
  afterAll(async () => {
    expect(await recorded()).toBe(before);
    expect(service.errors).toEqual([]);
    await service.stop();
    await storage.remove();
  });

  /** All that is kept, but for the default organization of a user. */
  const recorded = async (): Promise<string> =>
    JSON.stringify(await storage.readRecords(['members', 'notification_targets', 'deliveries']));

  const sendDocument = ({ endpoint, request }: Target, document: Bytes): Promise<Called> => {
    const { method = 'GET', path } = request('acme');
    if (endpoint.body.kind !== 'multipart') {
      return call(service, { method, path, body: document, headers: { 'content-type': 'application/json' } });
    }
    const { json, file } = endpoint.body;
    const head = (name: string, more = ''): string =>
      `--hostile\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
    const end = `\r\n${head(`${file.part}.0`, '; filename="a.yaml"')}_schema: x\r\n--hostile--\r\n`;
    const body = Buffer.concat([bytes(head(json.part)), document, bytes(end)]);
    const headers = { 'content-type': 'multipart/form-data; boundary=hostile' };
    return call(service, { method, path, body: new Uint8Array(body), headers });
  };

  /** The document of a request that would succeed. */
  const documentOf = ({ endpoint, request }: Target): Mapping => {
    const { json, form } = request('acme');
    const part = endpoint.body.kind === 'multipart' ? form?.get(endpoint.body.json.part) : undefined;
    const document: unknown = typeof part === 'string' ? JSON.parse(part) : json;
    if (!isMapping(document)) throw new TypeError('the sample has no document');
    return document;
  };

  describe.each(withBody)('to $endpoint.title', (target) => {
    it('with a hostile document is rejected, and changes nothing', async () => {
      for (const [name, document] of sampleFor(target, withBody, hostileDocuments)) {
        const { status, text } = await sendDocument(target, document);
        expect([name, status, text]).toEqual([name, 400, expect.stringContaining('"errors"')]);
      }
    });

    it('with any key of its document twice, also with an escape, is refused by the name of the key', async () => {
      const document = documentOf(target);
      for (const [key, value] of Object.entries(document)) {
        for (const written of [key, unicodeEscape(key[0] ?? '') + key.slice(1)]) {
          const twice = `${JSON.stringify(document).slice(0, -1)},"${written}":${JSON.stringify(value)}}`;
          const { status, body } = await sendDocument(target, bytes(twice));
          expect([status, valueAt(body, 'errors')]).toEqual([400, { [key]: 'must not be repeated within one object' }]);
        }
      }
    });

    it('with a document over the limit is rejected', async () => {
      const { body } = target.endpoint;
      const { maximumBytes = maximumDocumentBytes } = body.kind === 'json' ? body : {};
      const document = new Uint8Array(
        Buffer.concat([bytes('{"name":"'), Buffer.alloc(maximumBytes, 'x'), bytes('"}')]),
      );
      expect((await sendDocument(target, document)).status).toBe(413);
    });

    it('of another type is refused', async () => {
      const { method = 'GET', path } = target.request('acme');
      for (const type of sampleFor(target, withBody, otherTypes)) {
        const { status } = await call(service, { method, path, body: '{}', headers: { 'content-type': type } });
        expect([type, status]).toEqual([type, 415]);
      }
    });

    it('that is compressed is rejected', async () => {
      const { method = 'GET', path } = target.request('acme');
      const type = target.endpoint.body.kind === 'multipart' ? 'multipart/form-data; boundary=b' : 'application/json';
      const headers = { 'content-type': type, 'content-encoding': 'gzip' };
      expect((await call(service, { method, path, body: 'x', headers })).status).toBe(415);
    });
  });

  /** Every address of an endpoint in which one parameter is replaced. */
  const addressesWith = ({ endpoint, request }: Target, hostile: string): readonly string[] => {
    const pieces = endpoint.path.split('/');
    const [path = ''] = request('acme').path.split('?');
    const segments = path.split('/');
    return pieces.flatMap((piece, index) =>
      piece.startsWith('{') && !(piece === '{attestation_name}' && attestationNames.includes(hostile))
        ? [segments.map((segment, at) => (at === index ? hostile : segment)).join('/')]
        : [],
    );
  };

  describe.each(everyEndpoint)('to an address of $endpoint.title', (target) => {
    it('with something hostile in it is rejected', async () => {
      const authorization = `Bearer ${service.apiKey}`;
      for (const hostile of sampleFor(target, everyEndpoint, hostileSegments)) {
        for (const address of addressesWith(target, hostile)) {
          const request = rawRequest(`${target.endpoint.method} /api/v2${address}`, { authorization });
          const answer = await rawExchange(service.url, request);
          expect([address, Math.floor(answer.status / 100)]).toEqual([address, 4]);
          expect(answer.head).not.toContain('X-Injected');
          expect(rawErrorOf(answer).message).not.toBe('');
        }
      }
    });

    it('with an unknown or malformed query is refused', async () => {
      const { method = 'GET', path, json, form } = target.request('acme');
      const sent = json === undefined ? (form === undefined ? {} : { form }) : { json };
      for (const query of sampleFor(target, everyEndpoint, hostileQueries)) {
        const address = `${path}${path.includes('?') ? '&' : '?'}${query}`;
        expect([query, (await call(service, { method, path: address, ...sent })).status]).toEqual([query, 400]);
      }
    });
  });
});

function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
