import { AwsV4Signer } from 'aws4fetch';
import { sleep, type Clock } from '../../../runtime/clock.ts';
import type { RandomBytes } from '../../../runtime/random.ts';
import type { AttachedContent } from '../attachments.ts';
import { emptyDigest } from '../content-check.ts';
import { Connections, exchange, type Answer, type SignedRequest, type TimeLimits } from './exchange.ts';
import { isMissingObject, isTransientS3Error, S3ResponseError, toS3StorageError } from './s3-faults.ts';
import { toObjectUrl, type S3Options } from './s3-options.ts';

/** The dependencies of an `S3Client`. */
export interface S3Dependencies {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** How long a call may take, and how often it is tried. */
export interface CallLimits extends TimeLimits {
  /** No attempt is repeated later than this after the start, in milliseconds. */
  readonly lastAttempt: number;
  /** For all attempts and the pauses between them, in milliseconds. */
  readonly call: number;
  readonly attempts: number;
}

/** Content that can be sent, more than once if necessary. */
export interface SentContent extends AttachedContent {
  chunks(): AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** How an object is read. */
export interface ObjectReader<Result> {
  readonly use: (body: AsyncIterable<Buffer>) => Promise<Result>;
  /** The error if there is no such object. */
  readonly missing: (cause: unknown) => Error;
}

/** The maximum length of an answer without content, in bytes. The rest is not read. */
const maximumAnswerBytes = 16 * 1024;

/** The pauses between attempts, in milliseconds. */
const initialDelay = 200;
const maximumDelay = 4000;

/** Sends requests to a bucket of an S3-compatible storage, and retries them after transient errors. */
export class S3Client {
  readonly #options: S3Options;
  readonly #dependencies: S3Dependencies;
  readonly #connections = new Connections();
  /** The keys for signing, which change once a day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(options: S3Options, dependencies: S3Dependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /**
   * Stores an object; the server compares it with the digest. Resolves when the server has confirmed it.
   *
   * @throws StorageError
   */
  async put(name: string, content: SentContent, limits: CallLimits): Promise<void> {
    await this.#call(limits, async (signal) => {
      const request = await this.#sign('PUT', name, content);
      await this.#exchange(request, limits, signal, async ({ body }) => {
        await readText(body);
      });
    });
  }

  /**
   * Reads an object. `use` gets its content, and is called again if the connection is lost.
   *
   * @throws StorageError; the error of `missing` if there is no such object; the errors of `use`, unchanged
   */
  get<Result>(name: string, limits: CallLimits, { use, missing }: ObjectReader<Result>): Promise<Result> {
    return this.#call(limits, async (signal) => {
      const request = await this.#sign('GET', name, undefined);
      try {
        return await this.#exchange(request, limits, signal, ({ body }) => use(body));
      } catch (error) {
        if (isMissingObject(error)) throw missing(error);
        throw error;
      }
    });
  }

  close(): void {
    this.#connections.close();
  }

  async #sign(method: 'GET' | 'PUT', name: string, content: SentContent | undefined): Promise<SignedRequest> {
    const { region, credentials } = this.#options;
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const url = toObjectUrl(this.#options, name);
    const own = {
      'x-amz-content-sha256': content?.digest ?? emptyDigest,
      ...(content === undefined
        ? {}
        : { 'content-length': String(content.size), 'content-type': 'application/octet-stream' }),
    };
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, headers: own, accessKeyId, secretAccessKey, region, service: 's3' },
      ...(sessionToken === undefined ? {} : { sessionToken }),
      datetime: new Date(this.#dependencies.clock.now()).toISOString().replace(/[:-]|\.\d{3}/gu, ''),
      cache: this.#signingKeys,
    });
    const { headers } = await signer.sign();
    return { method, url, headers: Object.fromEntries(headers), body: content?.chunks() };
  }

  /**
   * Makes one attempt.
   *
   * @throws S3ResponseError if the answer is not a success
   */
  #exchange<Result>(
    request: SignedRequest,
    limits: TimeLimits,
    signal: AbortSignal,
    use: (answer: Answer) => Promise<Result>,
  ): Promise<Result> {
    const { clock } = this.#dependencies;
    return exchange({ connections: this.#connections, clock, signal }, request, limits, async (answer) => {
      const { status, body } = answer;
      if (status === 200) return use(answer);
      throw new S3ResponseError(`${request.method} ${request.url.pathname}`, status, await readText(body));
    });
  }

  /** Retries until an attempt succeeds, the error is not transient, or the limits are reached. */
  async #call<Result>(limits: CallLimits, attempt: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { clock, randomBytes } = this.#dependencies;
    const controller = new AbortController();
    const cancelCall = clock.after(limits.call, () => {
      controller.abort(new Error(`no success within ${limits.call / 1000} s`));
    });
    const state = { isLate: false };
    const cancelLast = clock.after(limits.lastAttempt, () => {
      state.isLate = true;
    });
    try {
      for (let failed = 1; ; failed += 1) {
        try {
          return await attempt(controller.signal);
        } catch (error) {
          if (!isTransientS3Error(error) || failed === limits.attempts || state.isLate || controller.signal.aborted)
            throw toS3StorageError(error);
          const ceiling = Math.min(maximumDelay, initialDelay * 2 ** (failed - 1));
          // Shortened by up to half, so that requests that failed together are not repeated together.
          const delay = ceiling * (1 - randomBytes(1).readUInt8() / 512);
          await sleep(clock, delay, controller.signal).catch(() => {
            throw toS3StorageError(error);
          });
        }
      }
    } finally {
      cancelLast();
      cancelCall();
    }
  }
}

/** Reads the text of an answer to its end. */
async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maximumAnswerBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
