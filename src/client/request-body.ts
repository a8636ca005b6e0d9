import { type Endpoint, filePartName, type FilePartStyle, type MultipartBody } from '../contract/endpoint.ts';
import type { RequestBody } from '../http/transport.ts';
import { UserError } from '../runtime/failure.ts';

export interface FilePart {
  readonly filename: string;
  /** The exact number of bytes that `open` gives. */
  readonly size: number;
  /** Opens the file at its beginning, once for each attempt. A chunk is valid only until the next is requested. */
  open(): AsyncIterable<Uint8Array>;
  /** The files in it, if it is an archive; else the file itself, which has no `open` of its own. */
  readonly parts?: readonly { readonly name: string; open?(): AsyncIterable<Uint8Array> }[];
}

export interface Payload {
  readonly document: unknown;
  readonly file: FilePart | undefined;
  readonly filePartStyle: FilePartStyle;
  /** A number from 0 up to 1, for the multipart boundary. */
  readonly random: () => number;
}

/**
 * The body of a request as the endpoint declares it; undefined if it has none.
 *
 * @throws UserError if a part is larger than the endpoint accepts
 */
export async function requestBody(endpoint: Endpoint, payload: Payload): Promise<RequestBody | undefined> {
  switch (endpoint.body.kind) {
    case 'none':
      return undefined;
    case 'json':
      return jsonBody(payload.document);
    case 'multipart':
      return multipartBody(endpoint.body, payload);
  }
}

/** Loads the modules that make the body, so that the call does not wait for them. */
export async function loadBodyParts({ body }: Endpoint): Promise<void> {
  if (body.kind === 'multipart') await import('form-data');
}

function jsonBody(document: unknown): RequestBody {
  const bytes = Buffer.from(JSON.stringify(document), 'utf8');
  return { contentType: 'application/json; charset=utf-8', length: bytes.length, open: () => bytes };
}

async function multipartBody(body: MultipartBody, payload: Payload): Promise<RequestBody> {
  const { default: FormData } = await import('form-data');
  const boundary = randomBoundary(payload.random);
  const { file } = payload;
  const document = JSON.stringify(payload.document);
  checkSizes(body, document, file);

  const form = new FormData();
  form.setBoundary(boundary);
  form.append(body.json.part, document);
  // Without its content, which is read when the body is sent.
  if (file !== undefined) {
    form.append(filePartName(body, payload.filePartStyle), '', {
      filename: file.filename,
      contentType: 'application/octet-stream',
    });
  }
  const bytes = form.getBuffer();
  const contentType = `multipart/form-data; boundary=${boundary}`;
  if (file === undefined) return { contentType, length: bytes.length, open: () => bytes };
  const end = bytes.lastIndexOf(`\r\n--${boundary}--`);
  return {
    contentType,
    length: bytes.length + file.size,
    async *open() {
      yield bytes.subarray(0, end);
      yield* file.open();
      yield bytes.subarray(end);
    },
  };
}

/** Checks the limits of both parts before anything is sent. */
function checkSizes({ json, file: declared }: MultipartBody, document: string, file: FilePart | undefined): void {
  const length = Buffer.byteLength(document);
  if (length > json.maximumBytes) {
    throw new UserError({
      what: `${json.part} would be ${length} bytes, but at most ${json.maximumBytes} are accepted`,
      remedy: 'Shorten `user-data` and `description`, and attach large data with `files`.',
    });
  }
  if (file !== undefined && file.size > declared.maximumBytes) {
    throw new UserError({
      input: 'files',
      what: `${file.filename} is ${file.size} bytes, but at most ${declared.maximumBytes} are accepted`,
      remedy: 'Send a smaller file.',
    });
  }
}

// RFC 2046 allows 70 characters; 24 random hex digits never occur in the content by chance.
function randomBoundary(random: () => number): string {
  const digits = Array.from({ length: 24 }, () => Math.floor(random() * 16).toString(16));
  return `compliance-action-${digits.join('')}`;
}
