import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { errorCode, errorMessage } from '../runtime/failure.ts';
import { isTransientStatus } from './retry.ts';
import { maximumAnswerBytes, TransportError } from './transport.ts';

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);

const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(zlib.gunzip)],
  ['x-gzip', promisify(zlib.gunzip)],
  ['br', promisify(zlib.brotliDecompress)],
  ['zstd', promisify(zlib.zstdDecompress)],
  // Some servers leave out the wrapper of zlib (RFC 9110, 8.4.1.2), whose first byte names the method 8.
  ['deflate', (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(bytes, options)],
]);

/** The maximum number of codings. More than one is rare, but a header of a few kilobytes can name hundreds. */
const maximumCodings = 3;

/**
 * Decodes the body of an answer by its `Content-Encoding` (RFC 9110, 8.4). The client never requests compression, but a
 * proxy may compress all the same.
 *
 * @throws TransportError if the body cannot be decoded, or would be larger than `maximumAnswerBytes`
 */
export async function decodeBody(status: number, contentEncoding: string, body: Buffer): Promise<Buffer> {
  const codings = parseCodings(contentEncoding);
  // An answer without a body, such as 304, may name a coding as well.
  if (body.length === 0) return body;
  if (codings.length > maximumCodings) throw undecodable(status, `${codings.length} codings applied one after another`);
  let bytes = body;
  // The last coding was applied last.
  for (const coding of codings.toReversed()) bytes = await decode(coding, bytes, status);
  return bytes;
}

/** The codings in the order in which they were applied. */
function parseCodings(header: string): readonly string[] {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

async function decode(coding: string, bytes: Buffer, status: number): Promise<Buffer> {
  const decoder = decoders.get(coding);
  if (decoder === undefined) throw undecodable(status, `the coding ${quoteCoding(coding)}, which is not supported`);
  try {
    return await decoder(bytes, { maxOutputLength: maximumAnswerBytes });
  } catch (error) {
    if (errorCode(error) !== 'ERR_BUFFER_TOO_LARGE')
      throw undecodable(status, `${quoteCoding(coding)} and damaged (${errorMessage(error)})`, error);
    const what = `the answer is larger than ${maximumAnswerBytes} bytes once decompressed`;
    throw new TransportError('malformed', true, what, { cause: error });
  }
}

function undecodable(status: number, what: string, cause?: unknown): TransportError {
  // If a retry may get another answer, only the status counts.
  const problem = isTransientStatus(status) ? 'interrupted' : 'malformed';
  const message = `the body of the answer ${status} is compressed with ${what}`;
  return new TransportError(problem, true, message, cause === undefined ? undefined : { cause });
}

/** Quotes a foreign header only if it has the form of a coding's name. */
function quoteCoding(coding: string): string {
  return /^[\w.-]{1,20}$/u.test(coding) ? coding : 'of an unknown name';
}
