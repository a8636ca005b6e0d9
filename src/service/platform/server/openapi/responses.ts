import { deprecatedSince, type Endpoint } from '../../../../contract/endpoint.ts';
import type { ErrorResponse } from '../../../../contract/errors.ts';
import { keyErrors } from '../../../../contract/key-errors.ts';
import { httpErrors } from '../errors/http-errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The name of the error schema among the document's components. */
export const errorSchemaName = 'Error';

/** The headers among the document's components. */
export const headerComponents: JsonObject = {
  'Accept-Idempotency-Key': {
    description:
      'Always `?1`, a Boolean of RFC 9651: of the writes with the same `Idempotency-Key`, one is carried out.',
    schema: { type: 'string' },
    example: '?1',
  },
  'Api-Key-Expires-At': {
    description: 'When the API key of the request expires, if that is within 30 days: a Date of RFC 9651.',
    schema: { type: 'string' },
    example: '@1795300000',
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the answer to an earlier request with the same key; nothing was changed now.',
    schema: { type: 'string' },
    example: 'true',
  },
  'Idempotent-Superseded': {
    description:
      '`true` if the record of the earlier request no longer counts: for all or some of what it is about, another one is the latest.',
    schema: { type: 'string' },
    example: 'true',
  },
};

export function toContent(mediaType: string, schema: unknown, more: JsonObject = {}): JsonObject {
  return { [mediaType]: { schema, ...more } };
}

/** All responses of an endpoint by status: the declared ones, and those of any HTTP service. */
export function toResponses(endpoint: Endpoint): JsonObject {
  const errors = new Map<number, ErrorResponse[]>();
  for (const error of [...endpoint.errors, ...undeclaredErrors(endpoint)]) {
    errors.set(error.status, [...(errors.get(error.status) ?? []), error]);
  }
  const headers = toHeaders(endpoint);
  return Object.fromEntries([
    ...endpoint.success.map((success) => {
      const { status, description, schema, mediaType = 'application/json' } = success;
      const content = toContent(mediaType, schema);
      return [status, { description, content, headers: { ...headers, ...toReplayHeader(endpoint) } }] as const;
    }),
    ...[...errors].map(([status, declared]) => [status, { ...toErrorResponse(declared), headers }] as const),
  ]);
}

/** Errors outside of the endpoint: of HTTP and of the storage. */
function undeclaredErrors({ method, body, authentication, repetition }: Endpoint): readonly ErrorResponse[] {
  const { badRequest, timeout, tooLarge, unsupportedType, expectation, headersTooLarge } = httpErrors;
  const { tooManyFailures, internal, busy, storageUnavailable, storageFull } = httpErrors;
  return [
    ...[badRequest, timeout, expectation, headersTooLarge, internal, busy, storageUnavailable],
    ...(authentication.length === 0 ? [] : [tooManyFailures]),
    ...(method === 'GET' ? [] : [tooLarge, storageFull]),
    ...(body.kind === 'none' ? [] : [unsupportedType]),
    ...(repetition.effect === 'safe' ? [] : [keyErrors.stillRunning, keyErrors.otherContent]),
  ];
}

function toErrorResponse(errors: readonly ErrorResponse[]): JsonObject {
  const examples = errors.map(({ message, when }, index) => [
    `example-${index + 1}`,
    { summary: when, value: { message } },
  ]);
  return {
    description: errors.map(({ message, when }) => `\`${message}\`: ${when}`).join('\n\n'),
    content: toContent(
      'application/json',
      { $ref: `#/components/schemas/${errorSchemaName}` },
      { examples: Object.fromEntries(examples) as JsonObject },
    ),
  };
}

function toHeaders({ deprecated, deprecatedFields }: Endpoint): JsonObject {
  const accepted = {
    'Accept-Idempotency-Key': { $ref: '#/components/headers/Accept-Idempotency-Key' },
    'Api-Key-Expires-At': { $ref: '#/components/headers/Api-Key-Expires-At' },
  };
  if (deprecated === undefined && deprecatedFields === undefined) return accepted;
  const example = `@${deprecatedSince}`;
  const subject = deprecated === undefined ? 'a field of the request' : 'the operation';
  const description = `Since when ${subject} is deprecated (RFC 9745).`;
  return { ...accepted, Deprecation: { description, schema: { type: 'string' }, example } };
}

function toReplayHeader({ repetition }: Endpoint): JsonObject {
  if (repetition.effect === 'safe') return {};
  const replayed = { 'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' } };
  if (repetition.effect !== 'appends' || repetition.recordedIn === undefined) return replayed;
  return { ...replayed, 'Idempotent-Superseded': { $ref: '#/components/headers/Idempotent-Superseded' } };
}
