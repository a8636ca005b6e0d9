import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { ErrorResponse } from '../../../contract/errors.ts';
import { toFormToken } from '../../session/session.ts';
import { ApiError } from '../server/errors/api-error.ts';
import { httpErrors } from '../server/errors/http-errors.ts';
import type { RouteDependencies } from '../server/route-dependencies.ts';

/** The maximum size of a submitted form, in bytes. */
const maximumBytes = 16 * 1024;

const foreignForm: ErrorResponse = {
  status: 403,
  message: 'This form was not sent from a page of this service; open the page again, and send the form from there',
  when: 'A form was sent from another site, or its page is from an earlier session.',
};

/** @throws ApiError if it comes from another site, or is not a form */
export async function readForm(
  request: FastifyRequest,
  dependencies: Pick<RouteDependencies, 'links'>,
): Promise<URLSearchParams> {
  if (!isFromOwnPage(request, dependencies)) throw new ApiError(foreignForm);
  const type = 'application/x-www-form-urlencoded';
  if (request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== type) {
    throw new ApiError(httpErrors.unsupportedType, { values: { type } });
  }
  return new URLSearchParams((await readBody(request.raw)).toString('utf8'));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // By default, leaving the loop destroys the request with its connection, so that no error could be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const bytes = Buffer.from(chunk as Uint8Array);
      size += bytes.length;
      if (size > maximumBytes) throw new ApiError(httpErrors.tooLarge);
      chunks.push(bytes);
    }
  } catch (error) {
    // If the client has left, nothing has failed that the service must log.
    throw request.readableAborted ? new ApiError(httpErrors.badRequest) : error;
  }
  return Buffer.concat(chunks);
}

/**
 * Whether a form was sent from a page of this service, according to headers that browsers set and pages cannot change:
 * `Sec-Fetch-Site`, or `Origin` if the service is not reached over TLS.
 */
function isFromOwnPage(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { links }: Pick<RouteDependencies, 'links'>,
): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = URL.parse(headers.origin ?? '');
  return origin !== null && (origin.host === headers.host || origin.origin === URL.parse(links.origin())?.origin);
}

/**
 * Requires that a form contains the token that only pages of the session contain.
 *
 * @throws ApiError
 */
export function requireFormToken(form: URLSearchParams, sessionToken: string): void {
  const [given, expected] = [Buffer.from(form.get('token') ?? ''), Buffer.from(toFormToken(sessionToken))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new ApiError(foreignForm);
}
