import { addAbortSignal, Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { type Clock, isRecent, sleep } from '../../../../runtime/clock.ts';
import type { RandomBytes } from '../../../../runtime/random.ts';
import { isMapping, valueAt } from '../../../../runtime/untrusted-data.ts';
import { StorageError } from '../../database/storage-error.ts';
import { DeadlineError, withDeadline } from '../../network/deadline.ts';
import type { AttachedContent } from '../attachments.ts';
import { describeSource } from './credentials/credential-source.ts';
import { CredentialsError } from './credentials/credentials-error.ts';
import { logger, toCredentialProvider } from './credentials/load-credentials.ts';
import {
  ConnectionError,
  isMissingObject,
  isTransientS3Error,
  isUnknownKey,
  S3ResponseError,
  toS3StorageError,
} from './s3-faults.ts';
import type { S3Options } from './s3-options.ts';

export interface BucketDependencies {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** When an attempt is given up, in milliseconds. */
export interface SocketLimits {
  /** Until there is a connection. */
  readonly connect: number;
  /** How long nothing is sent and nothing arrives. The SDK begins to count up to 3 s after the connection. */
  readonly silence: number;
}

export const socketLimits: SocketLimits = { connect: 5000, silence: 12_000 };

/** How long a call may take, and how often it is tried. */
export interface CallLimits {
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

export interface ObjectReader<Result> {
  readonly use: (body: AsyncIterable<Buffer>) => Promise<Result>;
  /** The error if there is no such object. */
  readonly missing: (cause: unknown) => Error;
}

/** The pauses between attempts, in milliseconds. */
const initialDelay = 200;
const maximumDelay = 4000;

/** The minimum time between two renewals of credentials that the storage does not know, in milliseconds. */
const renewalInterval = 30_000;

// Servers close idle connections after some seconds; the service closes them first. In milliseconds.
const agent = { keepAlive: true, maxSockets: Infinity, maxFreeSockets: 16, timeout: 5000 };

/**
 * A bucket of an S3-compatible storage. The SDK signs and sends; it does not retry, because it can neither send a stream
 * again nor read an object again whose connection was lost in the middle.
 */
export class Bucket {
  readonly #options: S3Options;
  readonly #dependencies: BucketDependencies;
  readonly #client: S3Client;
  #renewed = -Infinity;

  constructor(options: S3Options, dependencies: BucketDependencies, limits = socketLimits) {
    const { region, endpoint, credentials } = options;
    this.#options = options;
    this.#dependencies = dependencies;
    this.#client = new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      credentials: toCredentialProvider(credentials, dependencies.clock),
      ...{ maxAttempts: 1, logger },
      // Many compatible storages refuse other checksums than the one that is signed, and a delayed body.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      expectContinueHeader: false,
      requestHandler: {
        connectionTimeout: limits.connect,
        socketTimeout: limits.silence,
        httpAgent: agent,
        httpsAgent: agent,
      },
    });
  }

  /**
   * Stores an object; the server compares it with the digest. Resolves when the server has confirmed it.
   *
   * @throws StorageError; the errors of the content, unchanged
   */
  async put(name: string, content: SentContent, limits: CallLimits): Promise<void> {
    const request = `PUT ${name}`;
    await this.#call(request, limits, async (signal) => {
      const ended = new AbortController();
      // The SDK does not notice if the content fails.
      const body = Readable.from(content.chunks(), { objectMode: false }).once('error', (error) => {
        ended.abort(error);
      });
      const { digest, size } = content;
      const abortSignal = AbortSignal.any([signal, ended.signal]);
      const command = new PutObjectCommand({
        ...{ ...this.#place(name), Body: body, ContentLength: size, ContentType: 'application/octet-stream' },
      });
      // The SDK would not sign the digest of a stream.
      command.middlewareStack.add(
        (next) => (args) => {
          if (isRequest(args.request)) args.request.headers['x-amz-content-sha256'] = digest;
          return next(args);
        },
        { step: 'build' },
      );
      command.middlewareStack.add(endAnswer(abortSignal), nextToAnswer);
      try {
        await this.#client.send(command, { abortSignal });
      } catch (error) {
        // An answer that comes before the whole content was sent is an error; the rest is not needed.
        ended.abort(error);
        throw body.errored ?? this.#toError(request, error);
      } finally {
        body.destroy();
      }
    });
  }

  /**
   * Reads an object. `use` gets its content, and is called again if the connection is lost.
   *
   * @throws StorageError; the error of `missing` if there is no such object; the errors of `use`, unchanged
   */
  get<Result>(name: string, limits: CallLimits, { use, missing }: ObjectReader<Result>): Promise<Result> {
    const request = `GET ${name}`;
    return this.#call(request, limits, async (signal) => {
      const toError = (error: unknown): unknown => this.#toError(request, error);
      const body = await this.#open(name, signal).catch((error: unknown) => {
        const failure = toError(error);
        throw isMissingObject(failure) ? missing(failure) : failure;
      });
      try {
        return await use(readBody(body, toError));
      } finally {
        body.destroy();
      }
    });
  }

  /** @throws StorageError */
  async remove(name: string, limits: CallLimits): Promise<void> {
    const request = `DELETE ${name}`;
    await this.#call(request, limits, async (abortSignal) => {
      try {
        await this.#client.send(new DeleteObjectCommand(this.#place(name)), { abortSignal });
      } catch (error) {
        throw this.#toError(request, error);
      }
    });
  }

  close(): void {
    this.#client.destroy();
  }

  async #open(name: string, abortSignal: AbortSignal): Promise<Readable> {
    const command = new GetObjectCommand(this.#place(name));
    command.middlewareStack.add(endAnswer(abortSignal), nextToAnswer);
    const { Body: body } = await this.#client.send(command, { abortSignal });
    if (body instanceof Readable) return body;
    throw new TypeError('the SDK did not return a stream');
  }

  #place(name: string): { readonly Bucket: string; readonly Key: string } {
    const { bucket, prefix } = this.#options;
    return { Bucket: bucket, Key: prefix === '' ? name : `${prefix}/${name}` };
  }

  #toError(request: string, error: unknown): unknown {
    if (error instanceof StorageError || error instanceof CredentialsError) return error;
    if (!(error instanceof S3ServiceException)) return new ConnectionError(request, error);
    return new S3ResponseError(request, error, describeSource(this.#options.credentials));
  }

  /** Retries until an attempt succeeds, the error is not transient, or the limits are reached. */
  async #call<Result>(
    request: string,
    limits: CallLimits,
    attempt: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { clock } = this.#dependencies;
    const state = { isLate: false };
    const cancelLast = clock.after(limits.lastAttempt, () => {
      state.isLate = true;
    });
    try {
      return await withDeadline(clock, limits.call, async (signal) => {
        for (let failed = 1; ; failed += 1) {
          try {
            return await this.#attempt(() => attempt(signal));
          } catch (error) {
            if (!isTransientS3Error(error) || failed === limits.attempts || state.isLate || signal.aborted) throw error;
            await this.#pause(failed, signal);
          }
        }
      });
    } catch (error) {
      throw toS3StorageError(error instanceof DeadlineError ? new ConnectionError(request, error) : error);
    } finally {
      cancelLast();
    }
  }

  /** Attempts once; a second time with other credentials if the storage does not know these. */
  async #attempt<Result>(attempt: () => Promise<Result>): Promise<Result> {
    try {
      return await attempt();
    } catch (error) {
      if (!isUnknownKey(error) || !(await this.#renewCredentials())) throw error;
      return attempt();
    }
  }

  /** Waits after an attempt, the longer the more have failed. */
  #pause(failed: number, signal: AbortSignal): Promise<void> {
    const { clock, randomBytes } = this.#dependencies;
    const ceiling = Math.min(maximumDelay, initialDelay * 2 ** (failed - 1));
    // Shortened by up to half, so that requests that failed together are not repeated together.
    return sleep(clock, ceiling * (1 - randomBytes(1).readUInt8() / 512), signal);
  }

  /** @returns whether there may be other credentials now */
  async #renewCredentials(): Promise<boolean> {
    const now = this.#dependencies.clock.now();
    if (!('kind' in this.#options.credentials) || isRecent(this.#renewed, renewalInterval, now)) return false;
    this.#renewed = now;
    await this.#client.config.credentials({ forceRefresh: true });
    return true;
  }
}

/** The place of a middleware that gets the answer before the SDK reads it. */
const nextToAnswer = { step: 'deserialize', priority: 'low' } as const;

/** Ends the reading of an answer when the signal is aborted. The SDK listens to it only until the answer begins. */
function endAnswer(signal: AbortSignal) {
  return <Input, Output>(next: (input: Input) => Promise<Output>) =>
    async (input: Input): Promise<Output> => {
      const output = await next(input);
      const body = valueAt(output, 'response', 'body');
      if (body instanceof Readable) addAbortSignal(signal, body);
      return output;
    };
}

/** Whether it is a request with headers, as the middleware of the SDK gets it. */
function isRequest(value: unknown): value is { readonly headers: Record<string, string> } {
  return isMapping(value) && isMapping(value['headers']);
}

async function* readBody(body: Readable, toError: (error: unknown) => unknown): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw toError(error);
  }
}
