import { type Endpoint, filePartName, type FilePartStyle } from '../contract/endpoint.ts';
import type { HttpRequest } from '../http/transport.ts';
import type { FilePart } from './request-body.ts';
import { endpointLabel } from './service-error.ts';

/** A request that was prepared and checked, without the API key. */
export interface UnsentRequest {
  /** The operation; the endpoint's title if it is none of the sixteen. */
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body, or the JSON part of a multipart one. */
  readonly json?: {
    /** The name of the part; absent if the JSON is the whole body. */
    readonly part?: string;
    readonly document: unknown;
  };
  readonly file?: {
    readonly part: string;
    readonly filename: string;
    /** In bytes. */
    readonly size: number;
  };
}

/** Ends a dry run: everything was gathered and checked, and the request was not sent. Not a failure. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  readonly request: UnsentRequest;

  constructor(request: UnsentRequest) {
    super(`${request.operation}: ${request.method} ${request.url} was not sent`);
    this.request = request;
  }
}

export interface RequestContent {
  readonly document?: unknown;
  readonly file?: FilePart | undefined;
  readonly filePartStyle: FilePartStyle;
}

/** Describes a request without its key. */
export function unsentRequest(endpoint: Endpoint, request: HttpRequest, content: RequestContent): UnsentRequest {
  const { headers, body } = request;
  return {
    operation: endpointLabel(endpoint),
    method: request.method,
    url: request.url.href,
    headers: {
      ...headers,
      ...(headers['authorization'] === undefined ? {} : { authorization: redactKey(headers['authorization']) }),
      ...(body === undefined ? {} : { 'content-type': body.contentType, 'content-length': String(body.length) }),
    },
    ...describeBody(endpoint, content),
  };
}

function describeBody(
  { body }: Endpoint,
  { document, file, filePartStyle }: RequestContent,
): Pick<UnsentRequest, 'json' | 'file'> {
  switch (body.kind) {
    case 'none':
      return {};
    case 'json':
      return { json: { document } };
    case 'multipart':
      return {
        json: { part: body.json.part, document },
        ...(file === undefined
          ? {}
          : { file: { part: filePartName(body, filePartStyle), filename: file.filename, size: file.size } }),
      };
  }
}

/** `Bearer ***`: shows the method, hides the key. */
function redactKey(authorization: string): string {
  return `${authorization.split(' ')[0] ?? ''} ***`;
}
