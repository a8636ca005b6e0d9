import { Webhooks } from '@octokit/webhooks';
import type { FastifyRequest } from 'fastify';
import { commonErrors } from '../../contract/errors.ts';
import { maximumDocumentBytes } from '../../contract/limits.ts';
import { countGuess, toOrigin } from '../platform/server/authentication/authentication.ts';
import { requestHolder } from '../platform/server/bodies/admission.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { httpErrors } from '../platform/server/errors/http-errors.ts';
import type { RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { type GithubEvent, readGithubEvent } from './github-event.ts';
import { takeGithubEvent } from './github-event-use-cases.ts';

/** The maximum size of an event (GitHub's documentation, "Webhook events and payloads"). */
const maximumEventBytes = 25 * 1024 * 1024;

/** What large events are counted for together, because anybody can send a body: only one or two are in memory. */
const largeEvents = 'large events of GitHub';

/**
 * Adds the endpoint for GitHub's events, if there is an app. What an event asks for is stored before it is acknowledged.
 * An event that was not acknowledged is asked for again later.
 */
export function addGithubWebhookRoute({ app, admission }: RouteHost, dependencies: RouteDependencies): void {
  const { github, failures } = dependencies;
  if (github === undefined) return;
  const webhooks = new Webhooks({ secret: github.webhookSecret });
  const refuse = (request: FastifyRequest): ApiError => {
    const failure = { reason: 'is not an event that GitHub signed', origin: toOrigin(request, request.ip) };
    return countGuess(failures, failure, new ApiError(commonErrors.unauthenticated));
  };
  const read = async (bytes: Buffer, request: FastifyRequest): Promise<GithubEvent | undefined> => {
    const text = bytes.toString();
    const isSigned = text !== '' && (await webhooks.verify(text, readHeader(request, 'x-hub-signature-256')));
    if (!isSigned) throw refuse(request);
    return readGithubEvent(readHeader(request, 'x-github-event'), parseJson(text), github.appId);
  };
  app.route({
    method: 'POST',
    url: '/-/github/webhooks',
    bodyLimit: maximumEventBytes,
    onRequest: (request, reply, done) => {
      if (readHeader(request, 'x-hub-signature-256') === '') throw refuse(request);
      const length = Number(request.headers['content-length'] ?? maximumEventBytes);
      if (length > maximumEventBytes) throw new ApiError(httpErrors.tooLarge);
      const holder = length > maximumDocumentBytes ? largeEvents : requestHolder(request, false);
      admission.admit(holder, length, reply.raw);
      done();
    },
    handler: async (request, reply) => {
      const { body } = request;
      if (!Buffer.isBuffer(body))
        throw new ApiError(httpErrors.unsupportedType, { values: { type: 'application/json' } });
      const event = await admission.handle(body.length, () => read(body, request));
      const taken = event === undefined ? 'not wanted' : await takeGithubEvent({ ...dependencies, github }, event);
      return reply.status(taken === 'taken' ? 202 : 204).send();
    },
  });
}

/** The value of a header that may be sent once; empty if it is missing. */
function readHeader({ headers }: FastifyRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw validationError(['body', 'is not JSON']);
  }
}
