import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { filePartName, type MultipartBody } from '../../../contract/endpoint.ts';
import type { ReceivedFile } from '../../storage/attachments.ts';
import { translateFileError } from '../../storage/storage-faults.ts';
import { ApiError, validationError } from '../errors/api-error.ts';
import { httpErrors } from '../errors/http-errors.ts';
import { errorMessage } from '../../../runtime/failure.ts';
import { StorageError } from '../../storage/storage-error.ts';

/** A file of a multipart request, received and not yet kept. */
export interface UploadedFile {
  /** Its base name at the sender. */
  readonly filename: string;
  readonly content: ReceivedFile;
}

/** What a multipart request holds. */
export interface MultipartContent {
  /** The JSON part, as it was sent. */
  readonly document: Buffer;
  readonly file: UploadedFile | undefined;
}

/** Takes the content of a file in. */
export type ReceiveFile = (content: Readable) => Promise<ReceivedFile>;

/** What became of a part. */
type Part =
  | { readonly kind: 'document'; readonly bytes: Buffer }
  | { readonly kind: 'file'; readonly file: UploadedFile }
  | { readonly kind: 'text'; readonly file: UploadedFile };

/** The head of a part. */
interface PartHead {
  readonly name: string | undefined;
  readonly filename: string | undefined;
}

/** Throws an ApiError at once if the part may not be there. */
type TakePart = (stream: BusboyFileStream, head: PartHead) => Promise<Part>;

// Three parts are declared, and a fourth is refused by its name.
const partLimits = { parts: 4, headerPairs: 16, headerSize: 16 * 1024 };
const longestFilename = 255;

/**
 * Reads a multipart request while it arrives: the file goes where `receive` puts it, only the JSON part is held. The file
 * is taken under both of its names (`filePartName`), under the plain one as a text part as well (interface, operations 6
 * and 7). The first fault ends the reading.
 *
 * @throws ApiError where it is not what the endpoint declares, or what `receive` throws; nothing of the file is left then.
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

/** The name of a part that is declared and was not there before; adds it to the names. */
function requireNewPart(body: MultipartBody, { name }: PartHead, names: Set<string>): string {
  if (name === undefined) throw validationError(['body', 'must not have a part without a name']);
  const known = [body.json.part, filePartName(body, 'indexed'), filePartName(body, 'plain')];
  if (!known.includes(name)) throw validationError([name, 'is not a part of this request']);
  if (names.has(name)) throw validationError([name, 'must be sent only once']);
  names.add(name);
  return name;
}

/** Every part is read as raw bytes, texts too, so that their encoding is checked and not mended. */
function openBusboy({ headers }: IncomingMessage, { file }: MultipartBody): BusboyInstance {
  const { 'content-type': contentType = '' } = headers;
  const limits = { ...partLimits, fileSize: file.maximumBytes };
  try {
    return new Busboy({ headers: { ...headers, 'content-type': contentType }, limits, isPartAFile: () => true });
  } catch (error) {
    throw validationError(['content-type', errorMessage(error)]);
  }
}

/** Hands every part out as it comes. Ends with the request, or rejects at the first fault. */
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
          // A stream is also broken off by the disk that it is written to; whoever takes the part says so.
          if (!(translateFileError(fault) instanceof StorageError)) stopAsBroken(fault);
        });
      // The rest of a chunk is still parsed after a fault in it.
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
      `must have a filename of 1 to ${longestFilename} characters, without control characters`,
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
  if (!stream.truncated) return content;
  await content.discard();
  throw fileTooLarge({ file });
}

/** The answer to a file over its limit, in the words that the endpoint declares. */
export function fileTooLarge({ file }: Pick<MultipartBody, 'file'>): ApiError {
  return new ApiError(file.tooLarge, { errors: [[file.part, `must not have more than ${file.maximumBytes} bytes`]] });
}

function isFilename(filename: string | undefined): filename is string {
  if (filename === undefined || filename === '' || filename.length > longestFilename) return false;
  return filename.isWellFormed() && !/\p{Cc}/u.test(filename);
}

/** The JSON part, and the file. Of parts that say nothing more, nothing is left. */
async function assemble(body: MultipartBody, parts: readonly Part[]): Promise<MultipartContent> {
  const document = parts.find((part) => part.kind === 'document');
  const [file, ...moreFiles] = parts.filter((part) => part.kind === 'file').map((part) => part.file);
  const text = parts.find((part) => part.kind === 'text')?.file;
  if (document === undefined) throw validationError([body.json.part, 'is missing']);
  if (moreFiles.length > 0)
    throw validationError([body.file.part, `must not be sent together with ${filePartName(body, 'indexed')}`]);
  const only = await chooseFile(body, file, text);
  if (only === undefined && body.file.required) throw validationError([body.file.part, 'is missing']);
  return { document: document.bytes, file: only };
}

/** The file, which a text part may be in place of; beside a file it must say the same, or nothing. */
async function chooseFile(
  body: MultipartBody,
  file: UploadedFile | undefined,
  text: UploadedFile | undefined,
): Promise<UploadedFile | undefined> {
  if (text === undefined) return file;
  const isEmpty = text.content.size === 0;
  if (file === undefined && !isEmpty) return text;
  if (file !== undefined && !isEmpty && file.content.digest !== text.content.digest) {
    const rule = `has other content than the file ${filePartName(body, 'indexed')}; send only one of the two`;
    throw validationError([body.file.part, rule]);
  }
  await text.content.discard();
  return file;
}
