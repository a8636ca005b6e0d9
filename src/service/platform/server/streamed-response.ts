import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { errorCode } from '../../../runtime/failure.ts';

/** A stream that may be sent for any length of time, while the client keeps receiving. */
export class LongStream extends PassThrough {}

/** A response that is sent while it is made. If making it fails, the connection is closed before its end. */
export class StreamedResponse {
  readonly #body: LongStream;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(body: LongStream, headers: Readonly<Record<string, string>>) {
    this.#body = body;
    this.#headers = headers;
  }

  send(reply: FastifyReply): FastifyReply {
    // Also destroys it after a HEAD request, whose response has no body.
    reply.raw.once('close', () => this.#body.destroy());
    if (reply.raw.destroyed) this.#body.destroy();
    return reply.code(200).headers(this.#headers).send(this.#body);
  }
}

export interface Download {
  /** The name of the file, which is made safe for headers and all file systems. */
  readonly name: string;
  readonly extension: string;
  readonly type: string;
  /** Called before the content is opened; throws if too much is being downloaded. */
  readonly enter: (output: LongStream) => void;
  /** Called if the content cannot be sent completely, unless the client left. */
  readonly failed: (error: unknown) => void;
}

/** Starts to send content as a file. An error of `open` is thrown. */
export async function startDownload(
  open: () => Promise<Readable>,
  { name, extension, type, enter, failed }: Download,
): Promise<StreamedResponse> {
  const output = new LongStream();
  enter(output);
  try {
    void pipeline(await open(), output).catch((error: unknown) => {
      if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') failed(error);
    });
  } catch (error) {
    output.destroy();
    throw error;
  }
  const filename = `${name.replaceAll(/[^A-Za-z0-9._-]+/gu, '-').slice(0, 100)}.${extension}`;
  return new StreamedResponse(output, {
    'content-type': type,
    'content-disposition': `attachment; filename="${filename}"`,
  });
}
