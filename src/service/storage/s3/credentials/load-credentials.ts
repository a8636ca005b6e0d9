import type { Clock } from '../../../../runtime/clock.ts';
import { loadFromContainer } from './container-endpoint.ts';
import { describeSource, type CredentialSource } from './credential-source.ts';
import type { LoadedCredentials } from './loaded-credentials.ts';
import { readTokenFile } from './token-file.ts';

/** In milliseconds. */
const timeout = 2000;

/** The limits of the clients that the providers use. The caller asks again if a request fails. */
const clientConfig = {
  maxAttempts: 1,
  requestHandler: { connectionTimeout: timeout, requestTimeout: 2 * timeout, throwOnRequestTimeout: true },
};

/** The providers would print warnings. */
const silent = (): void => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/**
 * Asks a source for credentials, once. Loads the provider of AWS, if one is used, for this source only.
 *
 * @throws any error; it may contain a secret
 */
export function loadCredentials(source: CredentialSource, clock: Clock): Promise<LoadedCredentials> {
  switch (source.kind) {
    case 'web-identity':
      return loadWithWebIdentity(source);
    case 'container':
      return loadFromContainer(source, clock);
    case 'profile':
      return loadFromProfile(source);
    case 'instance':
      return loadFromInstance();
  }
}

type SourceOf<Kind> = Extract<CredentialSource, { readonly kind: Kind }>;

async function loadWithWebIdentity(source: SourceOf<'web-identity'>): Promise<LoadedCredentials> {
  const { fromWebToken } = await import('@aws-sdk/credential-provider-web-identity');
  const { roleArn, tokenFile, sessionName, region, endpoint } = source;
  return fromWebToken({
    // Not read by the provider, which would wait for it and stop the service meanwhile.
    webIdentityToken: await readTokenFile(tokenFile, describeSource(source)),
    ...{ roleArn, roleSessionName: sessionName, logger },
    clientConfig: { ...clientConfig, region, ...(endpoint === undefined ? {} : { endpoint }) },
  })();
}

async function loadFromProfile({ profile, region }: SourceOf<'profile'>): Promise<LoadedCredentials> {
  const { fromIni } = await import('@aws-sdk/credential-provider-ini');
  // The files may have changed. The region of the profile is used if it has one.
  return fromIni({ profile, ignoreCache: true, logger, clientConfig, parentClientConfig: { region } })();
}

async function loadFromInstance(): Promise<LoadedCredentials> {
  const { fromInstanceMetadata } = await import('@smithy/credential-provider-imds');
  return fromInstanceMetadata({ maxRetries: 0, timeout, ec2MetadataV1Disabled: true, logger })();
}
