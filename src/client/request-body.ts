import type { Readable } from 'node:stream';
import type Form from 'form-data';
import { type Endpoint, filePartName, type FilePartStyle, type MultipartBody } from '../contract/endpoint.ts';
import { createBodyStream } from '../http/body-stream.ts';
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

  /** Creates the form with the content of the file, or with an empty text to compute its headers and length. */
  const createForm = (content: Readable | string): Form => {
    const form = new FormData();
    form.setBoundary(boundary);
    form.append(body.json.part, document);
    if (file !== undefined) {
      form.append(filePartName(body, payload.filePartStyle), content, {
        filename: file.filename,
        contentType: 'application/octet-stream',
        knownLength: file.size,
      });
    }
    return form;
  };
  const form = createForm('');
  const contentType = `multipart/form-data; boundary=${form.getBoundary()}`;
  const length = form.getLengthSync();
  if (file === undefined) {
    const bytes = form.getBuffer();
    return { contentType, length, open: () => bytes };
  }
  return {
    contentType,
    length,
    async *open() {
      const content = createBodyStream(file.open(), () => undefined);
      try {
        yield* readChunks(createForm(content));
      } finally {
        content.destroy();
      }
    },
  };
}

/**
 * The chunks of a form, each read when it is requested. A form is a stream in the style of Node.js 0.8, which neither
 * undici nor `for await` accepts.
 */
async function* readChunks(form: Form): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks: Uint8Array[] = [];
  const state: { isEnded: boolean; failure?: Error } = { isEnded: false };
  let wake = (): void => undefined;
  form.on('data', (chunk: Buffer | string) => {
    form.pause();
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk);
    wake();
  });
  form.on('end', () => {
    state.isEnded = true;
    wake();
  });
  form.on('error', (error) => {
    state.failure = error;
    wake();
  });
  for (;;) {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
    if (state.failure !== undefined) throw state.failure;
    if (state.isEnded) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      form.resume();
    });
  }
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
