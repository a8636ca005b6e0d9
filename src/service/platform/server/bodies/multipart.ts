import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { filePartName, type MultipartBody } from '../../../../contract/endpoint.ts';
import { errorMessage } from '../../../../runtime/failure.ts';
import type { ReceivedFile } from '../../attachments/attachments.ts';
import { StorageError } from '../../database/storage-error.ts';
import { translateFileError } from '../../database/storage-faults.ts';
import { ApiError, validationError } from '../errors/api-error.ts';
import { httpErrors } from '../errors/http-errors.ts';

/** A received file of a multipart request, which is not stored yet. */
export interface UploadedFile {
  /** The base name that the client sent. */
  readonly filename: string;
  readonly content: ReceivedFile;
}

export interface MultipartContent {
  /** The bytes of the JSON part. */
  readonly document: Buffer;
  readonly file: UploadedFile | undefined;
}

export type ReceiveFile = (content: Readable) => Promise<ReceivedFile>;

type Part =
  | { readonly kind: 'document'; readonly bytes: Buffer }
  | { readonly kind: 'file'; readonly file: UploadedFile }
  | { readonly kind: 'text'; readonly file: UploadedFile };

interface PartHead {
  readonly name: string | undefined;
  readonly filename: string | undefined;
}

/** Receives a part. Throws an ApiError if the part is not allowed. */
type TakePart = (stream: BusboyFileStream, head: PartHead) => Promise<Part>;

// Three parts are declared; a fourth is rejected by its name.
const partLimits = { parts: 4, headerPairs: 16, headerSize: 16 * 1024 };
const maximumFilenameLength = 255;

/**
 * Parses a multipart request as it arrives: the file is streamed to `receive`, and only the JSON part is kept in
 * memory. The file can have either of its part names (`filePartName`); under the plain name it can also be a text part
 * (interface, operations 6 and 7). Stops at the first error.
 *
 * @throws ApiError if the request is not as the endpoint declares it, or the error of `receive`; the file is deleted
 *   then.
 */
export async function receiveMultipart(
  request: IncomingMessage,
  body: MultipartBody,
  receive: ReceiveFile,
): Promise<MultipartContent> {
  const parts: Promise<Part>[] = [];
  const names = new Set<string>();
  try {
    await readParts(request, openBusboy(request, body), (stream, head) => {
      const name = requireNewPart(body, head, names);
      const part = takePart(body, receive, stream, { ...head, name });
      parts.push(part);
      return part;
    });
    return await assemble(body, await Promise.all(parts));
  } catch (error) {
    for (const outcome of await Promise.allSettled(parts)) {
      if (outcome.status === 'fulfilled' && outcome.value.kind !== 'document') {
        await outcome.value.file.content.discard();
      }
    }
    throw error;
  }
}

/** Returns the name of a part, and adds it to `names`. It must be declared, and must not be repeated. */
function requireNewPart(body: MultipartBody, { name }: PartHead, names: Set<string>): string {
  if (name === undefined) throw validationError(['body', 'must not have a part without a name']);
  const known = [body.json.part, filePartName(body, 'indexed'), filePartName(body, 'plain')];
  if (!known.includes(name)) throw validationError([name, 'is not a part of this request']);
  if (names.has(name)) throw validationError([name, 'must be sent only once']);
  names.add(name);
  return name;
}

/** Reads all parts as raw bytes, texts included, so that their encoding is validated and not repaired. */
function openBusboy({ headers }: IncomingMessage, { json, file }: MultipartBody): BusboyInstance {
  const { 'content-type': contentType = '' } = headers;
  // The limit holds for both parts; each is checked against its own when it is received.
  const limits = { ...partLimits, fileSize: Math.max(file.maximumBytes, json.maximumBytes) + 1 };
  try {
    return new Busboy({ headers: { ...headers, 'content-type': contentType }, limits, isPartAFile: () => true });
  } catch (error) {
    throw validationError(['content-type', errorMessage(error)]);
  }
}

/** Passes each part on as it arrives. Resolves at the end of the request, or rejects at the first error. */
function readParts(request: IncomingMessage, busboy: BusboyInstance, take: TakePart): Promise<void> {
  return new Promise((resolve, reject) => {
    const open = new Set<BusboyFileStream>();
    let isStopped = false;
    const stop = (fault: unknown): void => {
      isStopped = true;
      reject(fault instanceof Error ? fault : new Error('the request was not read', { cause: fault }));
      for (const stream of open) stream.destroy(fault instanceof Error ? fault : undefined);
      request.unpipe(busboy);
    };
    const stopAsBroken = (fault: unknown): void => {
      stop(
        fault instanceof ApiError
          ? fault
          : validationError(['body', `is not complete multipart/form-data: ${errorMessage(fault)}`]),
      );
    };
    busboy.on('file', (name: string | undefined, stream, filename: string | undefined) => {
      open.add(stream);
      stream
        .once('close', () => open.delete(stream))
        .on('error', (fault) => {
          // Errors of the disk end the stream, too; the receiver of the part reports those.
          if (!(translateFileError(fault) instanceof StorageError)) stopAsBroken(fault);
        });
      // The rest of a chunk is still parsed after an error in it.
      if (isStopped) {
        stream.destroy();
        return;
      }
      try {
        take(stream, { name, filename }).catch(stop);
      } catch (fault) {
        stop(fault);
      }
    });
    busboy.once('finish', resolve).on('error', stopAsBroken);
    request.on('error', stopAsBroken).once('close', () => {
      if (!request.complete) stopAsBroken(new Error('it ended early'));
    });
    request.pipe(busboy);
  });
}

async function takePart(
  body: MultipartBody,
  receive: ReceiveFile,
  stream: BusboyFileStream,
  { name, filename }: PartHead & { readonly name: string },
): Promise<Part> {
  if (name === body.json.part) return { kind: 'document', bytes: await readDocumentPart(stream, body) };
  if (name === filePartName(body, 'plain') && filename === undefined) {
    return { kind: 'text', file: { filename: name, content: await receiveFile(stream, body, receive) } };
  }
  if (!isFilename(filename)) {
    throw validationError([
      name,
      `must have a filename of 1 to ${maximumFilenameLength} characters, without control characters`,
    ]);
  }
  return { kind: 'file', file: { filename, content: await receiveFile(stream, body, receive) } };
}

async function readDocumentPart(stream: BusboyFileStream, { json }: MultipartBody): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > json.maximumBytes) {
      const rule = `must not have more than ${json.maximumBytes} bytes`;
      throw new ApiError(httpErrors.tooLarge, { errors: [[json.part, rule]] });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function receiveFile(
  stream: BusboyFileStream,
  { file }: MultipartBody,
  receive: ReceiveFile,
): Promise<ReceivedFile> {
  const content = await receive(stream);
  if (content.size <= file.maximumBytes) return content;
  await content.discard();
  throw fileTooLarge({ file });
}

/** Creates the endpoint's error for a file above its limit. */
export function fileTooLarge({ file }: Pick<MultipartBody, 'file'>): ApiError {
  return new ApiError(file.tooLarge, { errors: [[file.part, `must not have more than ${file.maximumBytes} bytes`]] });
}

function isFilename(filename: string | undefined): filename is string {
  if (filename === undefined || filename === '' || filename.length > maximumFilenameLength) return false;
  return filename.isWellFormed() && !/\p{Cc}/u.test(filename);
}

/** Returns the JSON part and the file, and deletes redundant parts. */
async function assemble(body: MultipartBody, parts: readonly Part[]): Promise<MultipartContent> {
  const document = parts.find((part) => part.kind === 'document');
  const [file, ...moreFiles] = parts.filter((part) => part.kind === 'file').map((part) => part.file);
  const text = parts.find((part) => part.kind === 'text')?.file;
  if (document === undefined) throw validationError([body.json.part, 'is missing']);
  if (moreFiles.length > 0)
    throw validationError([body.file.part, `must not be sent together with ${filePartName(body, 'indexed')}`]);
  const only = await chooseFile(file, text);
  if (only === undefined && body.file.required) throw validationError([body.file.part, 'is missing']);
  return { document: document.bytes, file: only };
}

/** Returns the file; without one, the text part unless it is empty. */
async function chooseFile(
  file: UploadedFile | undefined,
  text: UploadedFile | undefined,
): Promise<UploadedFile | undefined> {
  if (text === undefined) return file;
  if (file === undefined && text.content.size > 0) return text;
  await text.content.discard();
  return file;
}
