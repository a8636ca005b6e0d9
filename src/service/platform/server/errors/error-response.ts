import type { FastifyReply, FastifyRequest } from 'fastify';
import { quotaExceeded } from '../../../../contract/errors.ts';
import { describeError, errorCode, errorMessage } from '../../../../runtime/failure.ts';
import type { ServiceLog } from '../../../../runtime/log.ts';
import { valueAt } from '../../../../runtime/untrusted-data.ts';
import { QuotaExceededError } from '../../../organization/quota.ts';
import { DamagedAttachmentError } from '../../attachments/attachments.ts';
import { StorageError, UncertainWriteError } from '../../database/storage-error.ts';
import { JudgingOverloadedError } from '../../judging/data-judging.ts';
import { sendJson } from '../json-response.ts';
import { ApiError, validationError } from './api-error.ts';
import { httpErrors, retryAfterHeader } from './http-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sends an error of the route in another form than JSON; undefined if the client wants JSON. */
    readonly sendError?: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;
  }
}

/** Where errors of the service are reported. */
export interface ErrorListeners {
  readonly log: ServiceLog;
  /** Call it when a request failed because of the storage. */
  storageFailed(error: StorageError): void;
}

export function sendError(
  listeners: ErrorListeners,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toApiError(listeners, thrown, request);
  const sent = request.routeOptions.config.sendError?.(error, request, reply);
  return sent ?? sendJson(reply.headers(error.headers), error.status, error.body);
}

function toApiError(listeners: ErrorListeners, thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof QuotaExceededError) return new ApiError(quotaExceeded, { values: thrown.values });
  if (thrown instanceof JudgingOverloadedError) {
    return new ApiError(httpErrors.underPressure, { headers: { 'retry-after': '2' } });
  }
  // If a failure caused the ApiError, the failure is its cause and must be logged.
  const fault = thrown instanceof ApiError ? thrown.cause : thrown;
  if (thrown instanceof ApiError && !(fault instanceof StorageError)) return thrown;
  const known = toFrameworkError(fault);
  if (known !== undefined) return known;
  const route = request.routeOptions.url ?? 'unknown address';
  const failed = `request ${request.id}: ${request.method} ${route} failed`;
  if (fault instanceof StorageError) {
    // The cause is outside of the service. In an outage every request fails, and a stack would only fill the log.
    listeners.log.error(`${failed}: ${describeError(fault)}`);
    if (!(fault instanceof DamagedAttachmentError)) listeners.storageFailed(fault);
  } else listeners.log.error(failed, fault);
  return thrown instanceof ApiError ? thrown : toServerError(fault, request.id);
}

function toServerError(fault: unknown, id: string): ApiError {
  if (!(fault instanceof StorageError)) return new ApiError(httpErrors.internal, { values: { id } });
  if (fault instanceof UncertainWriteError) return new ApiError(httpErrors.uncertain, { headers: retryAfterHeader });
  if (fault.reason === 'full') return new ApiError(httpErrors.storageFull);
  if (fault.reason === 'busy') return new ApiError(httpErrors.busy, { headers: { 'retry-after': '1' } });
  return new ApiError(httpErrors.storageUnavailable, { headers: retryAfterHeader });
}

/** Converts errors of the framework; undefined if the client did not cause the error. */
function toFrameworkError(thrown: unknown): ApiError | undefined {
  const given = valueAt(thrown, 'statusCode');
  const status = typeof given === 'number' ? given : 500;
  switch (errorCode(thrown)) {
    case 'FST_ERR_BAD_URL':
      return validationError(['path', 'must be percent-encoded UTF-8']);
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(httpErrors.tooLarge);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(httpErrors.unsupportedType, { values: { type: 'a media type' } });
    default:
      return status >= 400 && status < 500 ? validationError(['request', errorMessage(thrown)]) : undefined;
  }
}
