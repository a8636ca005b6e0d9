import { AwsV4Signer } from 'aws4fetch';
import { sleep } from '../../../runtime/clock.ts';
import type { RandomBytes } from '../../../runtime/random.ts';
import type { AttachedContent } from '../attachments.ts';
import { emptyDigest } from '../content-check.ts';
import {
  createCredentialProvider,
  type CredentialDependencies,
  type CredentialProvider,
} from './credentials/credential-provider.ts';
import { Connections, exchange, readText, type Answer, type SignedRequest, type TimeLimits } from './exchange.ts';
import { isMissingObject, isTransientS3Error, isUnknownKey, S3ResponseError, toS3StorageError } from './s3-faults.ts';
import { toObjectUrl, type S3Credentials, type S3Options } from './s3-options.ts';

/** The dependencies of an `S3Client`. */
export interface S3Dependencies extends CredentialDependencies {
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

/** What a request does. */
interface ObjectOperation {
  readonly method: 'GET' | 'PUT';
  /** The name of the object. */
  readonly name: string;
  readonly content?: SentContent;
}

/** How an object is read. */
export interface ObjectReader<Result> {
  readonly use: (body: AsyncIterable<Buffer>) => Promise<Result>;
  /** The error if there is no such object. */
  readonly missing: (cause: unknown) => Error;
}

/** Keys for signing that are kept: they change with the credentials and once a day. */
const maximumSigningKeys = 8;

/** The pauses between attempts, in milliseconds. */
const initialDelay = 200;
const maximumDelay = 4000;

/** Sends requests to a bucket of an S3-compatible storage, and retries them after transient errors. */
export class S3Client {
  readonly #options: S3Options;
  readonly #dependencies: S3Dependencies;
  readonly #connections = new Connections();
  readonly #credentials: CredentialProvider;
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(options: S3Options, dependencies: S3Dependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#credentials = createCredentialProvider(options.credentials, dependencies);
  }

  /**
   * Stores an object; the server compares it with the digest. Resolves when the server has confirmed it.
   *
   * @throws StorageError
   */
  async put(name: string, content: SentContent, limits: CallLimits): Promise<void> {
    await this.#call(limits, (signal) =>
      this.#attempt({ method: 'PUT', name, content }, limits, signal, async ({ body }) => {
        await readText(body);
      }),
    );
  }

  /**
   * Reads an object. `use` gets its content, and is called again if the connection is lost.
   *
   * @throws StorageError; the error of `missing` if there is no such object; the errors of `use`, unchanged
   */
  get<Result>(name: string, limits: CallLimits, { use, missing }: ObjectReader<Result>): Promise<Result> {
    return this.#call(limits, async (signal) => {
      try {
        return await this.#attempt({ method: 'GET', name }, limits, signal, ({ body }) => use(body));
      } catch (error) {
        if (isMissingObject(error)) throw missing(error);
        throw error;
      }
    });
  }

  close(): void {
    this.#connections.close();
  }

  /** Makes one attempt, and another one if the storage does not know the credentials and there are others. */
  async #attempt<Result>(
    operation: ObjectOperation,
    limits: TimeLimits,
    signal: AbortSignal,
    use: (answer: Answer) => Promise<Result>,
  ): Promise<Result> {
    const send = async (credentials: S3Credentials): Promise<Result> =>
      this.#exchange(await this.#sign(operation, credentials), limits, signal, use);
    const credentials = await this.#credentials.get();
    try {
      return await send(credentials);
    } catch (error) {
      if (!isUnknownKey(error) || !this.#credentials.reject(credentials)) throw error;
      return send(await this.#credentials.get());
    }
  }

  async #sign(
    { method, name, content }: ObjectOperation,
    { accessKeyId, secretAccessKey, sessionToken }: S3Credentials,
  ): Promise<SignedRequest> {
    const { region } = this.#options;
    const url = toObjectUrl(this.#options, name);
    const own = {
      'x-amz-content-sha256': content?.digest ?? emptyDigest,
      ...(content === undefined
        ? {}
        : { 'content-length': String(content.size), 'content-type': 'application/octet-stream' }),
    };
    if (this.#signingKeys.size >= maximumSigningKeys) this.#signingKeys.clear();
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
   * Sends one request.
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
      const name = `${request.method} ${request.url.pathname}`;
      throw new S3ResponseError(name, status, await readText(body), this.#credentials.name);
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
