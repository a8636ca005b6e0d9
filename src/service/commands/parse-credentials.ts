import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { isUnencryptedUrl } from '../../runtime/unencrypted-url.ts';
import type { CredentialSource, S3Credentials } from '../platform/attachments/s3/credentials/credential-source.ts';
import { OptionError } from './command-line.ts';

export interface CredentialOptions {
  /** The region of STS, unless AWS_REGION is set. */
  readonly region: string;
  /** Whether plain http to other machines is permitted. */
  readonly allowHttp: boolean;
  /** Whether to use the role of the EC2 instance. */
  readonly instanceRole: boolean;
}

const choices = [
  'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  'AWS_PROFILE for a profile in the files of AWS',
  'AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE for a web identity',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or AWS_CONTAINER_CREDENTIALS_FULL_URI for the role of a container',
  'or add &instance-role=true to --attachments for the role of an EC2 instance',
].join('; ');

/**
 * Reads the credentials of the object storage from the environment, or finds out where they come from. Nothing is asked
 * that was not named: the metadata service of an instance only if `instanceRole` is set.
 *
 * @throws OptionError; it never contains a credential
 */
export function parseCredentials(
  environment: EnvironmentVariables,
  options: CredentialOptions,
): S3Credentials | CredentialSource {
  const keys = readKeys(environment);
  if (options.instanceRole) {
    refuseContradictions(environment, keys);
    return { kind: 'instance' };
  }
  const found = keys ?? findSource(environment, options);
  if (found === undefined) throw new OptionError(`--attachments needs credentials. Set ${choices}`);
  return found;
}

/** @throws OptionError if the environment says that the role of the instance must not be used */
function refuseContradictions(environment: EnvironmentVariables, keys: S3Credentials | undefined): void {
  if (keys !== undefined) {
    throw new OptionError('--attachments has instance-role=true, but AWS_ACCESS_KEY_ID is set; remove one of them');
  }
  if (environment['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') {
    throw new OptionError(
      '--attachments has instance-role=true, but AWS_EC2_METADATA_DISABLED is set; remove one of them',
    );
  }
}

function readKeys(environment: EnvironmentVariables): S3Credentials | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  ].map((name) => valueOf(environment, name));
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new OptionError('--attachments needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
  }
  if (!/^[\x20-\x7e]*$/u.test(`${accessKeyId}${sessionToken ?? ''}`)) {
    throw new OptionError('AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN must be printable ASCII; copy them again');
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** The source that the environment names, in the order of the tools of AWS. */
function findSource(
  environment: EnvironmentVariables,
  { region, allowHttp }: CredentialOptions,
): CredentialSource | undefined {
  const value = (name: string): string | undefined => valueOf(environment, name);
  const stsRegion = value('AWS_REGION') ?? region;
  const profile = value('AWS_PROFILE');
  if (profile !== undefined) return { kind: 'profile', profile, region: stsRegion };
  if (value('AWS_ROLE_ARN') !== undefined && value('AWS_WEB_IDENTITY_TOKEN_FILE') !== undefined) {
    const sessionName = value('AWS_ROLE_SESSION_NAME') ?? 'compliance-service';
    const endpoint = parseStsEndpoint(value('AWS_ENDPOINT_URL_STS') ?? value('AWS_ENDPOINT_URL'), allowHttp);
    return { kind: 'web-identity', sessionName, region: stsRegion, endpoint };
  }
  const variable = ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'].find(
    (name) => value(name) !== undefined,
  );
  return variable === undefined ? undefined : { kind: 'container', variable };
}

function parseStsEndpoint(text: string | undefined, allowHttp: boolean): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new OptionError('AWS_ENDPOINT_URL_STS (or AWS_ENDPOINT_URL) must be an http(s) URL');
  }
  if (isUnencryptedUrl(url) && !allowHttp) {
    throw new OptionError('AWS_ENDPOINT_URL_STS (or AWS_ENDPOINT_URL) is not encrypted; use https');
  }
  return text;
}

/** The value of a variable; undefined if it is empty. */
function valueOf(environment: EnvironmentVariables, name: string): string | undefined {
  const value = environment[name];
  return value === '' ? undefined : value;
}
