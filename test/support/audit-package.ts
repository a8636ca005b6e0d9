import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import type { TestService } from './service.ts';

/** The files of a ZIP by name. */
export type ZipContent = ReadonlyMap<string, Buffer>;

/** Reads a ZIP with a library other than the one that writes it, which refuses unsafe names. */
export async function unzip(bytes: Uint8Array): Promise<ZipContent> {
  const opened = Promise.withResolvers<ZipFile>();
  fromBuffer(Buffer.from(bytes), { lazyEntries: true, strictFileNames: true }, (error, zip) => {
    if (error === null) opened.resolve(zip);
    else opened.reject(error);
  });
  const zip = await opened.promise;
  const files = new Map<string, Buffer>();
  const done = Promise.withResolvers<undefined>();
  zip.on('error', done.reject);
  zip.on('end', done.resolve);
  zip.on('entry', (entry: Entry) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error !== null) {
        done.reject(error);
        return;
      }
      void buffer(stream).then((content) => {
        expect(files.has(entry.fileName)).toBe(false);
        files.set(entry.fileName, content);
        zip.readEntry();
      }, done.reject);
    });
  });
  zip.readEntry();
  await done.promise;
  return files;
}

/** Requests an audit package. */
export function fetchPackage(service: TestService, path: string, key = service.apiKey): Promise<Response> {
  const address = path.startsWith('http') ? path : service.baseUrl + path;
  return fetch(address, { headers: { authorization: `Bearer ${key}` } });
}

/** Downloads an audit package, and checks that its files fit together. */
export async function readPackage(service: TestService, path: string, key = service.apiKey): Promise<ZipContent> {
  const response = await fetchPackage(service, path, key);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  const files = await unzip(await response.bytes());
  checkPackage(files);
  return files;
}

const sha256 = (...parts: readonly Uint8Array[]): string =>
  createHash('sha256').update(Buffer.concat(parts)).digest('hex');

/** Checks the digests of all files, and that each record is the one of its entry, or not entered. */
function checkPackage(files: ZipContent): void {
  const names = [...files.keys()];
  expect(names.at(-1)).toBe('MANIFEST');
  const lines = names.slice(0, -1).map((name) => `${sha256(contentOf(files, name))}  ${name}\n`);
  expect(contentOf(files, 'MANIFEST').toString()).toBe(lines.join(''));
  const proven = listProofs(files).flatMap((line) => {
    const record = textAt(line, 'record');
    if (record === undefined) return [];
    const entry: unknown = JSON.parse(textAt(line, 'entry') ?? '');
    const random = Buffer.from(textAt(line, 'random') ?? '', 'hex');
    expect(random).toHaveLength(16);
    expect([record, sha256(random, contentOf(files, record))]).toEqual([record, valueAt(entry, 'document')]);
    const attachment = textAt(entry, 'attachment');
    const attached = attachment === undefined ? undefined : files.get(`attachments/${attachment}`);
    if (attached !== undefined) expect(sha256(attached)).toBe(attachment);
    expect(textAt(line, 'proof')).toContain(`\n\n${contentOf(files, 'checkpoint').toString()}`);
    return [record];
  });
  const records = names.filter((name) => name.startsWith('records/') && !name.includes('/not-entered-'));
  expect(records.toSorted()).toEqual(proven.toSorted());
  // Names are data, which no file is named after.
  for (const name of names) expect(name).toMatch(/^(?:[a-z]+\/)?[a-z0-9-]+(?:\/[a-z0-9-]+)?(?:\.[a-z]+)?$|^MANIFEST$/u);
}

export function contentOf(files: ZipContent, name: string): Buffer {
  const content = files.get(name);
  if (content === undefined) throw new Error(`no file ${name}`);
  return content;
}

export const jsonOf = (files: ZipContent, name: string): unknown => JSON.parse(contentOf(files, name).toString());

/** The documents of the records of a kind, in the order of their entries. */
export const recordsOf = (files: ZipContent, kind: string): readonly unknown[] =>
  [...files.keys()].filter((name) => name.startsWith(`records/${kind}/`)).map((name) => jsonOf(files, name));

export const listProofs = (files: ZipContent): readonly unknown[] =>
  [...files]
    .filter(([name]) => name.startsWith('proofs/'))
    .flatMap(([, content]) => content.toString().trimEnd().split('\n'))
    .map((line): unknown => JSON.parse(line));
