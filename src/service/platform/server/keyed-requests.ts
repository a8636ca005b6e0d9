import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { idempotencyKeyHeader, parseIdempotencyKey, withoutFields } from '../../../contract/idempotency.ts';
import { keyErrors } from '../../../contract/key-errors.ts';
import type { ReplayedEvidence } from '../../../contract/replayed-evidence.ts';
import { textAt } from '../../../runtime/untrusted-data.ts';
import type { StoredKey } from '../../account/account.ts';
import { type KeyedRequest, type OnceResult, RepeatedRequest } from '../idempotency/carry-out-once.ts';
import type { Answer } from '../idempotency/remembered-answer-records.ts';
import type { UploadedFile } from './bodies/multipart.ts';
import { ApiError, validationError } from './errors/api-error.ts';
import { SerializedJson } from './json-response.ts';

/**
 * Reads the idempotency key of a request; undefined if it has none, or if the endpoint only reads.
 *
 * @throws ApiError if it is malformed.
 */
export function readIdempotencyKey(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { repetition }: Pick<Endpoint, 'repetition'>,
): string | undefined {
  const sent = headers[idempotencyKeyHeader];
  if (sent === undefined || repetition.effect === 'safe') return undefined;
  const key = parseIdempotencyKey(String(sent));
  if (key !== undefined) return key;
  const rule =
    'must be sent once, with 1 to 255 visible ASCII characters, except quotation marks inside the key and backslashes';
  throw validationError([idempotencyKeyHeader, rule]);
}

/** What a request asks for. Requests with the same key must agree in it. */
export interface RequestContent {
  readonly parameters: unknown;
  readonly query: unknown;
  readonly document: unknown;
  readonly file: (Pick<UploadedFile, 'filename'> & { readonly content: { readonly digest: string } }) | undefined;
}

/**
 * Who sends requests with a key. Keys can be guessed, so the key of one sender must not stand for the request of
 * another. For runs that have logged in, it includes the rules that admitted them: a pull request is not a deployment.
 * Unreviewed evidence of an earlier run counts for less, so it does not stand for that which the run itself sends again.
 */
export function toSender(
  { ownerKind, owner, login }: Pick<StoredKey, 'ownerKind' | 'owner' | 'login'>,
  replayed: ReplayedEvidence | undefined,
): string {
  return JSON.stringify([ownerKind, owner, login?.rules, ...(replayed === 'unreviewed' ? [replayed] : [])]);
}

/**
 * The idempotency key as it is stored. It belongs to its sender, and to the flow or environment of the path. It begins
 * with what was sent, which keeps the keys of a run together in the index. A key that was sent has no space.
 */
function toStoredKey({ key, sender, content }: ReceivedRequest & { readonly key: string }): string {
  const { parameters } = content;
  const owner = [sender, textAt(parameters, 'flow_name'), textAt(parameters, 'env_name')];
  return `${key} ${hash('sha256', JSON.stringify(owner), 'base64url').slice(0, 22)}`;
}

/** The SHA-256, in base64url, of what a request asks for, without the fields that may differ if it is repeated. */
export function digestRequest({ repetition }: Pick<Endpoint, 'repetition'>, content: RequestContent): string {
  const { parameters, query, document, file } = content;
  const asked = repetition.effect === 'appends' ? withoutFields(document, repetition.volatile) : document;
  const parts = [parameters, query, asked, file?.filename, file?.content.digest];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

interface HandlerResponse {
  readonly status: number;
  readonly body: unknown;
}

/** The response to an earlier request, which is sent again. */
export class ReplayedResponse {
  readonly first: HandlerResponse;
  /** Whether the record of that request no longer counts. */
  readonly isSuperseded: boolean;

  constructor(first: HandlerResponse, isSuperseded = false) {
    this.first = first;
    this.isSuperseded = isSuperseded;
  }
}

/**
 * Runs a use case, once for requests with the same idempotency key, and responds to its result.
 *
 * @param respond creates the response to a result; throws an ApiError if the use case changed nothing. May be called
 *   more than once. With `isRemembered` it creates the response that is stored for repeated requests, which must not
 *   contain a secret.
 */
export type CarryOut<Response extends HandlerResponse> = <Dependencies, Command, Result>(
  useCase: (
    dependencies: Dependencies,
    command: Command,
    request?: KeyedRequest<Result>,
  ) => Promise<OnceResult<Result>>,
  dependencies: Dependencies,
  command: Command,
  respond: (result: Result, isRemembered: boolean) => Response,
) => Promise<Response | ReplayedResponse>;

export interface ReceivedRequest {
  readonly key: string | undefined;
  /** See `toSender`. */
  readonly sender: string;
  /** The organization; every path of a request with a key has one. */
  readonly org: string;
  readonly content: RequestContent;
}

/**
 * The requests with idempotency keys that are running in this process.
 *
 * A request that runs in another process with the same storage is not answered 409: it is carried out there, and here
 * it waits. The transactions of an organization run one after another, in all processes, and each looks for the key
 * first. So it is recorded once, and the second request gets the answer to the first.
 */
export class KeyedRequests {
  readonly #running = new Set<string>();

  /** Returns the function with which the handler of an endpoint carries out a request. */
  carryOut<Response extends HandlerResponse>(endpoint: Endpoint, received: ReceivedRequest): CarryOut<Response> {
    const { key: sent, org, content } = received;
    return async (useCase, dependencies, command, respond) => {
      if (sent === undefined) return respondToFirst(respond, await useCase(dependencies, command));
      const key = toStoredKey({ ...received, key: sent });
      const scope = `${endpoint.method} ${endpoint.path}`;
      const digest = digestRequest(endpoint, content);
      const request = { org, scope, key, digest, toAnswer: createAnswer(respond) };
      const result = await this.#runAlone(`${org}\n${scope}\n${key}`, () => useCase(dependencies, command, request));
      return respondToFirst(respond, result);
    };
  }

  /** @throws ApiError if a request with the same key is running. */
  async #runAlone<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    if (this.#running.has(name)) throw new ApiError(keyErrors.stillRunning, { headers: { 'retry-after': '1' } });
    this.#running.add(name);
    try {
      return await run();
    } finally {
      this.#running.delete(name);
    }
  }
}

/** Creates the function that returns the answer to a result, for errors undefined. */
function createAnswer<Result>(
  respond: (result: Result, isRemembered: boolean) => HandlerResponse,
): KeyedRequest<Result>['toAnswer'] {
  return (result) => {
    try {
      const { status, body } = respond(result, true);
      return { status, body: body instanceof SerializedJson ? body.bytes.toString() : JSON.stringify(body) };
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}

/** @throws ApiError if nothing was changed, or if the first request with the key had other content. */
function respondToFirst<Result, Response extends HandlerResponse>(
  respond: (result: Result, isRemembered: boolean) => Response,
  result: OnceResult<Result>,
): Response | ReplayedResponse {
  if (!(result instanceof RepeatedRequest)) return respond(result, false);
  const { first, isSuperseded } = result;
  if (first === undefined) throw new ApiError(keyErrors.otherContent, { errors: [keyFault] });
  const response = 'result' in first ? respond(first.result, true) : fromAnswer(first.answer);
  return new ReplayedResponse(response, isSuperseded);
}

function fromAnswer({ status, body }: Answer): HandlerResponse {
  return { status, body: new SerializedJson(Buffer.from(body)) };
}

const keyFault = [idempotencyKeyHeader, 'belongs to an earlier request with other content'] as const;
