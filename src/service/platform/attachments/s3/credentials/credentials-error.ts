import { errorCode, errorMessage } from '../../../../../runtime/failure.ts';
import { textAt, valueAt } from '../../../../../runtime/untrusted-data.ts';
import { DeadlineError } from '../../../network/deadline.ts';

/** A source gave no credentials. The message contains no secret, and there is no cause, which might contain one. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  /** Whether asking again may help. */
  readonly isTransient: boolean;

  constructor(source: string, reason: string, isTransient: boolean) {
    super(`no credentials from ${source}: ${reason}`);
    this.isTransient = isTransient;
  }
}

export function toCredentialsError(source: string, error: unknown): CredentialsError {
  return error instanceof CredentialsError
    ? error
    : new CredentialsError(source, describeReason(error), isTransient(error));
}

/** The names of errors that say nothing. */
const commonNames = [
  'Error',
  'AggregateError',
  'CredentialsProviderError',
  'DeadlineError',
  'ProviderError',
  'TimeoutError',
];
const maximumLength = 400;

function describeReason(error: unknown): string {
  const text = errorMessage(error);
  // These quote the answer, or the command that the profile runs.
  if (textAt(error, 'name') === 'SyntaxError' || text.includes('JSON')) return 'the answer is not valid JSON';
  if (text.startsWith('Command failed')) return 'the credential_process of the profile failed';
  const name = nameOf(error);
  const message = text.replaceAll(/\s+/gu, ' ').replaceAll(webToken, '***').slice(0, maximumLength);
  return commonNames.includes(name) ? message : `${name}: ${message}`;
}

/** A web identity, if a server quotes it. */
const webToken = /eyJ[\w-]+\.[\w-]+\.[\w-]*/gu;

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : (textAt(error, 'name') ?? 'Error');
}

const networkCodes =
  /\b(?:ECONN\w+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|socket hang up|TimeoutError|timed out)\b/u;

/** Whether a source that answers with this status may give credentials later. */
function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** Whether it is a network error or a fault of the server. Some providers say that in their message only. */
function isTransient(error: unknown): boolean {
  if (error instanceof DeadlineError) return true;
  const text = errorMessage(error);
  const status = [valueAt(error, '$metadata', 'httpStatusCode'), valueAt(error, 'statusCode')].find(
    (each): each is number => typeof each === 'number' && each > 0,
  );
  if (status !== undefined && status !== 200) return isTransientStatus(status);
  const [, shownStatus] = /^Server responded with status: (\d{3})$/u.exec(text) ?? [];
  if (shownStatus !== undefined) return isTransientStatus(Number(shownStatus));
  // The metadata service was not reached, so its provider wanted to fall back to the first version of the service.
  if (nameOf(error) === 'InstanceMetadataV1FallbackError') return true;
  return networkCodes.test(`${errorCode(error) ?? ''} ${nameOf(error)} ${text}`);
}
