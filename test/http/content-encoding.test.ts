import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeBody } from '../../src/http/content-encoding.ts';
import { maximumAnswerBytes, TransportError } from '../../src/http/transport.ts';
import { createTransport } from '../../src/http/undici-transport.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { type Fault, startFaultyServer } from '../support/faulty-server.ts';

const opened = closeAfterEach();
const json = '{"message":"größer"}';

// Better compression takes seconds for what is beyond the limit.
const gzip = (bytes: Buffer): Buffer => gzipSync(bytes, { level: 1 });

const coders = {
  gzip,
  'x-gzip': gzip,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  deflate: (bytes) => deflateSync(bytes, { level: 1 }),
  zstd: zstdCompressSync,
} as const satisfies Record<string, (bytes: Buffer) => Buffer>;
const codings = Object.keys(coders) as readonly (keyof typeof coders)[];

async function decoded(coding: string, body: Buffer, status = 200): Promise<string> {
  return (await decodeBody(status, coding, body)).toString();
}

function answersBytes(status: number, body: Buffer, coding: string): Fault {
  return {
    early: false,
    play(response) {
      response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': coding });
      response.end(body);
    },
  };
}

describe('a compressed answer', () => {
  it.each(codings)('is decoded by the transport: %s', async (coding) => {
    const server = opened(await startFaultyServer(answersBytes(201, coders[coding](Buffer.from(json)), coding)));
    const transport = opened(createTransport({}));
    const answer = await transport.send({ method: 'GET', url: server.url, headers: {} }, new AbortController().signal);
    expect(answer).toMatchObject({ status: 201, text: json });
  });

  it('is decoded whatever it contains, in the reverse order of its codings', async () => {
    const chain = fc.array(fc.constantFrom(...codings), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1 }), chain, async (bytes, names) => {
        let body: Buffer = Buffer.from(bytes);
        for (const name of names) body = coders[name](body);
        expect((await decodeBody(200, names.join(', '), body)).equals(bytes)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('may lack the wrapper of deflate', async () => {
    await expect(decoded('deflate', deflateRawSync(Buffer.from(json)))).resolves.toBe(json);
  });

  it.each(['', 'identity', ' GZIP '])('is recognized by the header: "%s"', async (coding) => {
    const isGzip = coding.includes('GZIP');
    const body = isGzip ? gzipSync(json) : Buffer.from(json);
    await expect(decoded(coding, body)).resolves.toBe(json);
  });

  it('may have no body', async () => {
    await expect(decoded('gzip', Buffer.alloc(0), 304)).resolves.toBe('');
  });

  // The others are called like gzip.
  it.each(['gzip', 'zstd'] as const)(
    'is rejected if it grows beyond the limit, without filling memory: %s',
    async (coding) => {
      const bomb = coders[coding](Buffer.alloc(maximumAnswerBytes + 1));
      expect(bomb.length).toBeLessThan(1_000_000);
      await expect(decoded(coding, bomb)).rejects.toMatchObject({
        problem: 'malformed',
        mayHaveReached: true,
        message: `the answer is larger than ${maximumAnswerBytes} bytes once decompressed`,
      });
    },
  );

  it.each(codings)('is rejected if it is damaged or truncated: %s', async (coding) => {
    const whole = coders[coding](Buffer.from(json.repeat(50)));
    for (const body of [whole.subarray(0, -6), Buffer.from('<html>'), Buffer.concat([Buffer.from('x'), whole])]) {
      const failure: unknown = await decoded(coding, body).catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(TransportError);
      expect(failure).toMatchObject({
        problem: 'malformed',
        message: expect.stringMatching(
          new RegExp(`^the body of the answer 200 is compressed with ${coding} and damaged \\(.+\\)$`, 'u'),
        ),
      });
    }
  });

  it('may be retried if its status allows it', async () => {
    await expect(decoded('gzip', Buffer.from('no'), 502)).rejects.toMatchObject({ problem: 'interrupted' });
    await expect(decoded('gzip', Buffer.from('no'), 404)).rejects.toMatchObject({ problem: 'malformed' });
  });

  it.each([
    ['compress', 'the coding compress, which is not supported'],
    ['a\u001b[31mb', 'the coding of an unknown name, which is not supported'],
    ['gzip, gzip, gzip, gzip', '4 codings applied one after another'],
  ])('is rejected if it cannot be decoded: %j', async (coding, words) => {
    await expect(decoded(coding, gzipSync(json))).rejects.toMatchObject({
      message: `the body of the answer 200 is compressed with ${words}`,
    });
  });

  it('is reported as interrupted if the server resets the connection', async () => {
    const cut: Fault = {
      early: false,
      play(response, socket) {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '1000' });
        response.write(gzipSync(json), () => socket.resetAndDestroy());
      },
    };
    const server = opened(await startFaultyServer(cut));
    const transport = opened(createTransport({}));
    await expect(
      transport.send({ method: 'GET', url: server.url, headers: {} }, new AbortController().signal),
    ).rejects.toMatchObject({ problem: 'interrupted' });
  });
});
