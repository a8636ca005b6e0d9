import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  deprecatedSince,
  type Endpoint,
  type EndpointDocument,
  type EndpointParameters,
  type EndpointQuery,
  findDeprecatedFields,
  type JsonBody,
  type MultipartBody,
  type Success,
} from '../../../contract/endpoint.ts';
import { withExactFreeForm } from '../../../contract/free-form.ts';
import { replayedHeader, supersededHeader } from '../../../contract/idempotency.ts';
import { keyExpiryHeader } from '../../../contract/key-expiry-header.ts';
import { maximumDocumentBytes } from '../../../contract/limits.ts';
import { parseReplayHeaders } from '../../../contract/replayed-evidence.ts';
import type { Static } from '../../../contract/schema.ts';
import { authenticate, type Authenticator, requestOrganization } from './authentication/authentication.ts';
import { type Admission, countHeldBytes, requestHolder } from './bodies/admission.ts';
import { DocumentError, parseDocument } from './bodies/json-document.ts';
import { fileTooLarge, type ReceiveFile, receiveMultipart, type UploadedFile } from './bodies/multipart.ts';
import { SerialQueue } from './bodies/serial-queue.ts';
import { ApiError, validationError, withDeclaredMessage } from './errors/api-error.ts';
import { httpErrors } from './errors/http-errors.ts';
import { prepareJson, type SerializedJson } from './json-response.ts';
import { type CarryOut, KeyedRequests, readIdempotencyKey, ReplayedResponse, toSender } from './keyed-requests.ts';
import { StreamedResponse } from './streamed-response.ts';
import { validate, validatePath, validateQuery } from './validation.ts';

/** The value of `Deprecation` (RFC 9745). */
const deprecationDate = `@${deprecatedSince}`;

/** A valid request from an authorized caller. */
export interface EndpointRequest<E extends Endpoint, Who> {
  readonly caller: Who;
  readonly parameters: EndpointParameters<E>;
  readonly query: EndpointQuery<E>;
  readonly document: EndpointDocument<E>;
  /** Deleted after the response, unless the handler kept it. */
  readonly file: UploadedFile | undefined;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** Runs the use case of an endpoint that writes. */
  readonly carryOut: CarryOut<EndpointResponse<E>>;
}

/** One of the declared success responses. The body may be serialized already. */
export type EndpointResponse<E extends Endpoint> = ResponseWith<E['success'][number]>;
type ResponseWith<S> =
  S extends Success<infer Schema>
    ? { readonly status: S['status']; readonly body: Static<Schema> | SerializedJson<Static<Schema>> }
    : never;

/** Handles a request. Throws an ApiError for every response that is not a success. */
export type EndpointHandler<E extends Endpoint, Who> = (
  received: EndpointRequest<E, Who>,
) => Promise<EndpointResponse<E> | ReplayedResponse | StreamedResponse>;

export interface RouteHost {
  readonly app: FastifyInstance;
  /** The prefix of the endpoints' paths, such as `/api/v2`. */
  readonly prefix: string;
  readonly receiveFile: ReceiveFile;
  readonly admission: Admission;
  /** Undefined if the endpoints take no idempotency keys. */
  readonly keyedRequests: KeyedRequests | undefined;
}

/** What authentication found; kept in the request until the handler runs, because an entry of a `WeakMap` takes longer. */
interface Authenticated<Who> {
  readonly caller: Who;
  readonly sender: string;
  readonly key: string | undefined;
}

/**
 * Adds the route of an endpoint. Path, parameters, query, body, limits and authentication schemes come from its
 * declaration; the handler does only the work itself. Requests are authenticated before anything else is validated.
 */
export function addRoute<E extends Endpoint, Who>(
  host: RouteHost,
  endpoint: E,
  authenticator: Authenticator<Who>,
  handler: EndpointHandler<E, Who>,
): void {
  const { body } = endpoint;
  const largeDocuments = new SerialQueue();
  const { keyedRequests = new KeyedRequests() } = host;
  host.app.route({
    ...(body.kind === 'json' && body.maximumBytes !== undefined ? { bodyLimit: body.maximumBytes } : {}),
    config: { isAuthenticated: true },
    method: endpoint.method,
    url: host.prefix + endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    onRequest: async (request, reply) => {
      if (endpoint.deprecated !== undefined) reply.header('deprecation', deprecationDate);
      let sender = '';
      const caller = await authenticate(request, endpoint, authenticator, {
        changes: endpoint.method !== 'GET' && endpoint.allowsArchived !== true,
        identified: (key) => {
          sender = toSender(key, parseReplayHeaders(request.headers));
        },
        expiresSoon: (at) => {
          reply.header(keyExpiryHeader, `@${Math.floor(at)}`);
        },
      });
      const found: Authenticated<Who> = { caller, sender, key: readKey(request, endpoint, host) };
      request.setDecorator('authenticated', found);
      rejectTooLarge(request, endpoint);
      const holder = requestHolder(request);
      host.admission.enter(holder, reply.raw);
      host.admission.admit(holder, countHeldBytes(request.raw, endpoint), reply.raw);
    },
    handler: async (request, reply) => {
      const { caller, sender, key } = request.getDecorator<Authenticated<Who>>('authenticated');
      const work = async (): Promise<EndpointResponse<E> | ReplayedResponse | StreamedResponse> => {
        const received = await receive(request, endpoint, host);
        if (findDeprecatedFields(endpoint, received.document).length > 0) reply.header('deprecation', deprecationDate);
        const carryOut = keyedRequests.carryOut<EndpointResponse<E>>(endpoint, {
          ...{ key, sender },
          org: requestOrganization(request) ?? '',
          content: received,
        });
        try {
          return await handler({ caller, carryOut, signal: request.signal, ...received });
        } finally {
          if (received.file !== undefined) await received.file.content.discard();
        }
      };
      const response = await (isLarge(request) ? largeDocuments.run(work) : work());
      if (response instanceof StreamedResponse) return response.send(reply);
      if (!(response instanceof ReplayedResponse)) {
        const { mediaType } = endpoint.success.find(({ status }) => status === response.status) ?? {};
        return prepareJson(reply, response.status, response.body, mediaType);
      }
      reply.header(replayedHeader, 'true');
      if (response.isSuperseded) reply.header(supersededHeader, 'true');
      return prepareJson(reply, response.first.status, response.first.body);
    },
  });
}

/** Whether the request has a JSON document above the default limit, which few endpoints accept. */
function isLarge({ body }: FastifyRequest): boolean {
  return Buffer.isBuffer(body) && body.length > maximumDocumentBytes;
}

/** @throws ApiError if the key is malformed. */
function readKey(request: FastifyRequest, endpoint: Endpoint, host: RouteHost): string | undefined {
  if (host.keyedRequests === undefined) return undefined;
  try {
    return readIdempotencyKey(request, endpoint);
  } catch (error) {
    throw withDeclaredMessage(endpoint, error);
  }
}

/** @throws ApiError if the request is invalid; its file is deleted then. */
async function receive<E extends Endpoint>(
  request: FastifyRequest,
  endpoint: E,
  host: RouteHost,
): Promise<Omit<EndpointRequest<E, unknown>, 'caller' | 'carryOut' | 'signal'>> {
  try {
    const parameters = validatePath<E['parameters']>(endpoint.parameters, request.params);
    const query = validateQuery<E['query']>(endpoint.query, request.query);
    const { document, file } = endpoint.body.kind === 'none' ? noBody : await receiveBody(request, endpoint.body, host);
    // `receiveBody` validated the document against the schema of this type, which the compiler cannot infer.
    return { parameters, query, document: document as EndpointDocument<E>, file };
  } catch (error) {
    throw withDeclaredMessage(endpoint, error);
  }
}

interface ReceivedBody {
  readonly document: unknown;
  readonly file: UploadedFile | undefined;
}

const noBody: ReceivedBody = { document: undefined, file: undefined };

async function receiveBody(
  request: FastifyRequest,
  body: JsonBody | MultipartBody,
  host: RouteHost,
): Promise<ReceivedBody> {
  switch (body.kind) {
    case 'json':
      return { document: await receiveJsonBody(request, body, host), file: undefined };
    case 'multipart':
      return receiveMultipartBody(request, body, host);
  }
}

/** The most bytes of boundaries and part headers in a multipart body. */
const maximumFraming = 64 * 1024;

/**
 * Rejects a body whose Content-Length exceeds the limit before any of it is read. A body without Content-Length is
 * rejected once it exceeds the limit.
 */
function rejectTooLarge({ headers, routeOptions }: FastifyRequest, { body }: Endpoint): void {
  const length = Number(headers['content-length'] ?? 0);
  if (body.kind === 'json' && length > routeOptions.bodyLimit) throw new ApiError(httpErrors.tooLarge);
  if (body.kind !== 'multipart') return;
  const { json, file } = body;
  if (length > json.maximumBytes + file.maximumBytes + maximumFraming) throw fileTooLarge(body);
}

async function receiveJsonBody(request: FastifyRequest, body: JsonBody, { admission }: RouteHost): Promise<unknown> {
  requireContentType(request, 'application/json');
  // The parser of this type passes the bytes on (`server.ts`); there are none if the body is empty.
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return admission.handle(bytes.length, (pause) => parseBody(body, bytes, 'body', pause));
}

async function receiveMultipartBody(
  request: FastifyRequest,
  body: MultipartBody,
  host: RouteHost,
): Promise<ReceivedBody> {
  requireContentType(request, 'multipart/form-data');
  const { document, file } = await receiveMultipart(request.raw, body, host.receiveFile);
  try {
    const { json } = body;
    const parse = (pause: () => Promise<void>): Promise<unknown> => parseBody(json, document, json.part, pause);
    return { document: await host.admission.handle(document.length, parse), file };
  } catch (error) {
    await file?.content.discard();
    throw error;
  }
}

async function parseBody(
  { schema, maximumValues }: Pick<JsonBody, 'schema' | 'maximumValues'>,
  bytes: Uint8Array,
  whole: string,
  pause: () => Promise<void>,
): Promise<unknown> {
  if (bytes.length === 0) throw validationError([whole, 'is missing']);
  try {
    await pause();
    const { plain, exact } = await parseDocument(bytes, pause, maximumValues);
    await pause();
    const document = validate(schema, plain, { whole });
    await pause();
    return exact === plain ? document : withExactFreeForm(schema, document, exact);
  } catch (error) {
    throw error instanceof DocumentError
      ? validationError([error.field === '' ? whole : error.field, error.message])
      : error;
  }
}

function requireContentType({ headers }: FastifyRequest, type: string): void {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const encoding = headers['content-encoding'] ?? 'identity';
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter)) ?? 'charset=utf-8';
  const accepted = mediaType.toLowerCase() === type && encoding === 'identity' && /^charset="?utf-?8"?$/i.test(charset);
  if (!accepted) throw new ApiError(httpErrors.unsupportedType, { values: { type } });
}
