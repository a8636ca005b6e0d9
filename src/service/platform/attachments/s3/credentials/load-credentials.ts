import type { Clock } from '../../../../../runtime/clock.ts';
import { withDeadline } from '../../../network/deadline.ts';
import { type CredentialSource, describeSource, type S3Credentials } from './credential-source.ts';
import { toCredentialsError } from './credentials-error.ts';

export interface LoadedCredentials extends S3Credentials {
  /** Undefined if the source does not say. */
  readonly expiration?: Date;
}

/** The limits of one request to a source, in milliseconds. */
const timeout = 2000;
/** How long a source may take, in milliseconds. Some providers wait for ever for the end of an answer. */
const loadTimeout = 5000;

/** The limits of the clients that the providers use. The caller asks again if a request fails. */
const clientConfig = {
  maxAttempts: 1,
  requestHandler: { connectionTimeout: timeout, requestTimeout: 2 * timeout, throwOnRequestTimeout: true },
};

/** The SDK would print warnings. */
const silent = (): void => undefined;
export const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** The credentials as the SDK takes them. It keeps them, and asks again five minutes before they expire. */
export function toCredentialProvider(
  credentials: S3Credentials | CredentialSource,
  clock: Clock,
): S3Credentials | (() => Promise<LoadedCredentials>) {
  return 'kind' in credentials ? () => loadCredentials(credentials, clock) : credentials;
}

/** @throws CredentialsError */
export async function loadCredentials(source: CredentialSource, clock: Clock): Promise<LoadedCredentials> {
  try {
    return await withDeadline(clock, loadTimeout, () => load(source));
  } catch (error) {
    throw toCredentialsError(describeSource(source), error);
  }
}

async function load(source: CredentialSource): Promise<LoadedCredentials> {
  const providers = await import('@aws-sdk/credential-providers');
  switch (source.kind) {
    case 'web-identity': {
      const { sessionName: roleSessionName, region, endpoint } = source;
      const own = { ...clientConfig, region, ...(endpoint === undefined ? {} : { endpoint }) };
      return providers.fromTokenFile({ roleSessionName, logger, clientConfig: own })();
    }
    case 'container':
      return providers.fromHttp({ timeout, maxRetries: 0, logger })();
    case 'profile': {
      const { profile, region } = source;
      // The files may have changed. The region of the profile is used if it has one.
      return providers.fromIni({ profile, ignoreCache: true, logger, clientConfig, parentClientConfig: { region } })();
    }
    case 'instance':
      return providers.fromInstanceMetadata({ maxRetries: 0, timeout, ec2MetadataV1Disabled: true, logger })();
  }
}
