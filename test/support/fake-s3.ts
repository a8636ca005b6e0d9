import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { S3Credentials } from '../../src/service/platform/attachments/s3/credentials/credential-source.ts';
import type { S3Options } from '../../src/service/platform/attachments/s3/s3-options.ts';
import { serve } from '../../tools/loopback-server.ts';

/** What the server does with a request instead of its work; its body was not read. */
export type S3Fault = (request: IncomingMessage, response: ServerResponse, objects: Map<string, Buffer>) => void;

/** A request that arrived. */
export interface S3Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** An object storage in memory that answers PUT, GET and DELETE, and checks digests and keys. It does not check signatures. */
export interface FakeS3 {
  readonly options: S3Options;
  readonly url: string;
  /** The objects by path: `/bucket/prefix/name`. */
  readonly objects: Map<string, Buffer>;
  readonly calls: readonly S3Call[];
  /** The credentials that are accepted. Others are unknown. */
  readonly accepted: Set<S3Credentials>;
  /** The next requests get these faults, one each. */
  failNext(...faults: readonly S3Fault[]): void;
  /** Waits until this many requests have arrived. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** The credentials that the server accepts at first. */
const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'the-secret' };

/** Starts a server on a free port of the loopback interface. */
export async function startFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const calls: S3Call[] = [];
  const accepted = new Set<S3Credentials>([credentials]);
  const faults: S3Fault[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const { url, close } = await serve((request, response) => {
    const { method = '', headers } = request;
    calls.push({ method, path: pathOf(request), headers });
    for (const { count, resolve } of waiting) if (calls.length >= count) resolve();
    const fault = faults.shift();
    if (fault !== undefined) fault(request, response, objects);
    else answer(request, response, { objects, accepted }).catch(() => response.destroy());
  });
  return {
    options: { bucket: 'evidence', prefix: 'service', region: 'eu-central-1', endpoint: url, credentials },
    url,
    objects,
    calls,
    accepted,
    failNext: (...next) => {
      faults.push(...next);
    },
    received: (count) =>
      new Promise((resolve) => {
        if (calls.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close,
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { objects, accepted }: Pick<FakeS3, 'objects' | 'accepted'>,
): Promise<void> {
  const { method, headers } = request;
  const path = pathOf(request);
  const body = await buffer(request);
  const refusal = refusalOf(headers, accepted);
  if (refusal !== undefined) {
    refuse(response, 403, refusal);
  } else if (!path.startsWith('/evidence/')) {
    refuse(response, 404, 'NoSuchBucket');
  } else if (createHash('sha256').update(body).digest('hex') !== headers['x-amz-content-sha256']) {
    refuse(response, 400, 'XAmzContentSHA256Mismatch');
  } else if (method === 'PUT') {
    objects.set(path, body);
    response.end();
  } else if (method === 'DELETE') {
    objects.delete(path);
    response.writeHead(204).end();
  } else {
    const content = objects.get(path);
    if (content === undefined) refuse(response, 404, 'NoSuchKey');
    else response.writeHead(200, { 'content-length': content.length }).end(content);
  }
}

/** The path of the object. The SDK adds the name of its operation as a query. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/\?.*/u, '');
}

/** Why the credentials are refused; undefined if they are accepted. */
function refusalOf(headers: IncomingHttpHeaders, accepted: Iterable<S3Credentials>): string | undefined {
  const { authorization = '' } = headers;
  const known = [...accepted].find(({ accessKeyId }) => authorization.includes(`Credential=${accessKeyId}/`));
  if (known === undefined) return 'InvalidAccessKeyId';
  return known.sessionToken === headers['x-amz-security-token'] ? undefined : 'InvalidToken';
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>As ${code} says</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
}

/** Reads the request, and answers an error. */
export function refusal(status: number, code = ''): S3Fault {
  return (request, response) => {
    request.resume().once('end', () => {
      refuse(response, status, code);
    });
  };
}

/** Closes the connection as soon as the request has arrived. */
export const reset: S3Fault = (request) => {
  request.socket.destroy();
};

/** Never answers. */
export const silence: S3Fault = (request) => {
  request.resume();
};

/** Sends half of an object with the length of the whole, and closes the connection, or leaves it open. */
export function halfAnswer({ close }: { readonly close: boolean }): S3Fault {
  return (request, response, objects) => {
    const content = objects.get(pathOf(request)) ?? Buffer.alloc(0);
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, content.length / 2), () => {
      if (close) request.socket.destroy();
    });
  };
}
