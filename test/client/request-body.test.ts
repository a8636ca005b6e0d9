import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FilePart, requestBody } from '../../src/client/request-body.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { attestSonar } from '../../src/contract/attestations/sonar.ts';
import type { FilePartStyle } from '../../src/contract/endpoint.ts';
import { createFlow } from '../../src/contract/flow.ts';
import type { RequestBody } from '../../src/http/transport.ts';
import { UserError } from '../../src/runtime/failure.ts';
import { collectBody } from '../support/collect-bytes.ts';

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** The parts of a multipart body, as a server reads them. */
async function partsOf(contentType: string, bytes: Buffer): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const parser = new Busboy({ headers: { 'content-type': contentType } });
  parser.on('field', (name, value, _nameCut, _valueCut, _encoding, type) => {
    parts.push({ name, contentType: type, content: Buffer.from(value, 'utf8') });
  });
  parser.on('file', (name, stream, filename, _encoding, type) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => parts.push({ name, filename, contentType: type, content: Buffer.concat(chunks) }));
  });
  const finished = once(parser, 'finish');
  parser.end(bytes);
  await finished;
  return parts;
}

function chunksOf(body: RequestBody): AsyncIterable<Uint8Array> {
  const opened = body.open();
  if (typeof opened === 'string' || opened instanceof Uint8Array) throw new Error('the body comes at once');
  return opened;
}

function bytesOf(body: RequestBody): Promise<Buffer> {
  return collectBody(body.open());
}

function fileOf(filename: string, content: Uint8Array, chunk = 1000): FilePart {
  return {
    filename,
    size: content.length,
    open() {
      function* chunks(): Generator<Uint8Array> {
        for (let at = 0; at < content.length; at += chunk) yield content.subarray(at, at + chunk);
      }
      return Readable.from(chunks(), { objectMode: false });
    },
  };
}

async function upload(
  document: unknown,
  file?: FilePart,
  filePartStyle: FilePartStyle = 'indexed',
): Promise<RequestBody> {
  const body = await requestBody(attestSonar, { document, file, filePartStyle, random: () => 0.5 });
  if (body === undefined) throw new Error('there is no body');
  return body;
}

/** How browsers, and WHATWG's specification of forms, write a name into a header. */
function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

describe('the body of a request', () => {
  it('is undefined if the endpoint declares none', async () => {
    const payload = { document: undefined, file: undefined, filePartStyle: 'indexed', random: Math.random } as const;
    await expect(requestBody(getArtifact, payload)).resolves.toBeUndefined();
  });

  it('is JSON that reads back as the document, and as long as it says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (document) => {
        const payload = { document, file: undefined, filePartStyle: 'indexed', random: Math.random } as const;
        const body = await requestBody(createFlow, payload);
        if (body === undefined) throw new Error('there is no body');
        const bytes = await bytesOf(body);
        expect(body.contentType).toBe('application/json; charset=utf-8');
        expect(bytes.length).toBe(body.length);
        expect(JSON.parse(bytes.toString('utf8'))).toEqual(JSON.parse(JSON.stringify(document)));
      }),
    );
  });
});

describe('a multipart body', () => {
  const filename = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('lcov.info', 'a"b.txt', 'a\r\nX-Evil: 1.txt', 'größe 日本.xml', "it's;name=x", 'a%22b', ' '),
    )
    .map((name) => name.replaceAll(/[/\\]/gu, '_'))
    // No file has these names.
    .filter((name) => name !== '.' && name !== '..');

  it('reads back at the server: names, file name, exact bytes; as long as it says, twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        filename,
        fc.uint8Array({ maxLength: 5000 }),
        fc.integer({ min: 1, max: 3000 }),
        async (document, name, content, chunk) => {
          const body = await upload(document, fileOf(name, content, chunk));
          const [first, second] = [await bytesOf(body), await bytesOf(body)];
          expect(first.length).toBe(body.length);
          expect(second.equals(first)).toBe(true);
          const [json, file, ...others] = await partsOf(body.contentType, first);
          expect(others).toEqual([]);
          expect(json).toMatchObject({ name: 'data_json' });
          expect(json).not.toHaveProperty('filename');
          expect(json?.content.toString('utf8')).toBe(JSON.stringify(document));
          expect(file).toMatchObject({
            name: 'attachment_file.0',
            filename: escaped(name),
            contentType: 'application/octet-stream',
          });
          expect(file?.content.equals(content)).toBe(true);
        },
      ),
    );
  });

  it('names the file part as the public client does with the style `plain`', async () => {
    const body = await upload({}, fileOf('a.txt', Buffer.from('x')), 'plain');
    const parts = await partsOf(body.contentType, await bytesOf(body));
    expect(parts.map(({ name }) => name)).toEqual(['data_json', 'attachment_file']);
  });

  it('contains only the document if there is no file', async () => {
    const body = await upload({ attestation_name: 'sonar' });
    const bytes = await bytesOf(body);
    expect(bytes.length).toBe(body.length);
    expect((await partsOf(body.contentType, bytes)).map(({ name }) => name)).toEqual(['data_json']);
  });

  it('holds an empty file as an empty part', async () => {
    const body = await upload({}, fileOf('empty.txt', Buffer.alloc(0)));
    const bytes = await bytesOf(body);
    expect(bytes.length).toBe(body.length);
    expect((await partsOf(body.contentType, bytes)).at(-1)).toMatchObject({ filename: 'empty.txt' });
  });

  it('has a boundary that fits in a header and is random', async () => {
    const body = (random: () => number): ReturnType<typeof requestBody> =>
      requestBody(attestSonar, { document: {}, file: undefined, filePartStyle: 'indexed', random });
    const [one, other] = [await body(() => 0.1), await body(() => 0.999_999)];
    expect(one?.contentType).toMatch(/^multipart\/form-data; boundary=[\w-]{1,70}$/u);
    expect(other?.contentType).not.toBe(one?.contentType);
  });

  it('is rejected before anything is sent if a part is over its limit, and accepted at it', async () => {
    const { json, file } = attestSonar.body;
    const payload = (size: number, characters: number): Parameters<typeof requestBody>[1] => ({
      // The quotes of the JSON text count as well.
      document: 'x'.repeat(characters - 2),
      file: { filename: 'big.bin', size, open: () => Readable.from([]) },
      filePartStyle: 'indexed',
      random: () => 0.5,
    });
    await expect(requestBody(attestSonar, payload(file.maximumBytes, json.maximumBytes))).resolves.toBeDefined();
    await expect(requestBody(attestSonar, payload(1, json.maximumBytes + 1))).rejects.toThrow(
      'data_json would be 1048577 bytes, but at most 1048576 are accepted',
    );
    await expect(requestBody(attestSonar, payload(file.maximumBytes + 1, 100))).rejects.toThrow(
      'big.bin is 10485761 bytes, but at most 10485760 are accepted',
    );
  });

  it('opens its file once for each attempt, and not before', async () => {
    let opened = 0;
    const file = fileOf('a.txt', Buffer.from('content'));
    const body = await upload(
      {},
      {
        ...file,
        open() {
          opened += 1;
          return file.open();
        },
      },
    );
    expect(opened).toBe(0);
    await bytesOf(body);
    await bytesOf(body);
    expect(opened).toBe(2);
  });

  it('closes its file when its reader goes away', async () => {
    const source = Readable.from([Buffer.from('12345'), Buffer.from('67890')]);
    const body = await upload({}, { filename: 'a.txt', size: 10, open: () => source });
    for await (const chunk of chunksOf(body)) if (Buffer.from(chunk).includes('12345')) break;
    expect(source.destroyed).toBe(true);
  });

  it.each([
    ['that cannot be opened', () => createReadStream('/nowhere/at/all'), 'ENOENT'],
    [
      'that changes while it is read',
      () =>
        new Readable({
          read() {
            this.destroy(new UserError({ what: 'it changed', remedy: 'Copy it.' }));
          },
        }),
      'it changed',
    ],
  ])('fails with the error of a file %s', async (_what, open, words) => {
    const body = await upload({}, { filename: 'a.txt', size: 10, open });
    await expect(bytesOf(body)).rejects.toThrow(words);
  });

  it('reads its file only as far as its reader reads', async () => {
    let read = 0;
    const size = 10 * 1024 * 1024;
    const body = await upload(
      {},
      {
        filename: 'big.bin',
        size,
        open: () =>
          new Readable({
            read() {
              read += 65_536;
              this.push(read <= size ? Buffer.alloc(65_536) : null);
            },
          }),
      },
    );
    for await (const chunk of chunksOf(body)) if (chunk.length === 65_536) break;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(size / 10);
  });
});
