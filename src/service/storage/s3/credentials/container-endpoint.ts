import type { Clock } from '../../../../runtime/clock.ts';
import { errorMessage } from '../../../../runtime/failure.ts';
import { isUnencryptedUrl } from '../../../../runtime/unencrypted-url.ts';
import { textAt } from '../../../../runtime/untrusted-data.ts';
import { Connections, exchange, readText, type TimeLimits } from '../exchange.ts';
import { ConnectionError } from '../s3-faults.ts';
import { describeSource, type ContainerRole } from './credential-source.ts';
import { CredentialsError, isTransientSourceStatus } from './credentials-error.ts';
import type { LoadedCredentials } from './loaded-credentials.ts';
import { readTokenFile } from './token-file.ts';

// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html. The provider of AWS is not used,
// because its requests do not end if the endpoint does not answer.

const limits: TimeLimits = { connect: 2000, silence: 4000 };
/** For a whole answer, in milliseconds. The caller does not wait longer either. */
const maximumTime = 4500;

/** The address of ECS, for relative URIs. */
const relativeBase = 'http://169.254.170.2';
/** The addresses of ECS and EKS inside a machine. They have no TLS. */
const platformHosts = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];

/**
 * Asks the endpoint of a container for credentials.
 *
 * @throws CredentialsError; the errors of the file system, if the token cannot be read
 */
export async function loadFromContainer(source: ContainerRole, clock: Clock): Promise<LoadedCredentials> {
  const name = describeSource(source);
  const url = parseEndpoint(source, name);
  const token = await readToken(source, name);
  const headers = { accept: 'application/json', ...(token === undefined ? {} : { authorization: token }) };
  const connections = new Connections();
  const whole = new AbortController();
  const cancel = clock.after(maximumTime, () => {
    whole.abort(new Error(`no whole answer within ${maximumTime / 1000} s`));
  });
  try {
    const { signal } = whole;
    const request = { method: 'GET', url, headers, body: undefined } as const;
    return await exchange({ connections, clock, signal }, request, limits, async ({ status, body }) =>
      parseAnswer(status, await readText(body), name),
    );
  } catch (error) {
    // Without the path, which may be a secret of the container.
    if (error instanceof ConnectionError) throw new CredentialsError(name, errorMessage(error.cause), true);
    throw error;
  } finally {
    cancel();
    connections.close();
  }
}

function parseEndpoint({ relativeUri, fullUri }: ContainerRole, name: string): URL {
  const url = URL.parse(relativeUri === undefined ? (fullUri ?? '') : `${relativeBase}${relativeUri}`);
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (isWeb && (platformHosts.includes(url.hostname) || !isUnencryptedUrl(url))) return url;
  throw new CredentialsError(name, 'the address must be one of ECS, EKS or this machine, or use https', false);
}

async function readToken({ token, tokenFile }: ContainerRole, name: string): Promise<string | undefined> {
  const text = tokenFile === undefined ? token : await readTokenFile(tokenFile, name);
  if (text === undefined || /^[\x20-\x7e]+$/u.test(text)) return text;
  throw new CredentialsError(name, 'the authorization token is empty, or is not one line of ASCII', false);
}

/** The texts of errors never quote the answer, which may hold a secret. */
function parseAnswer(status: number, text: string, name: string): LoadedCredentials {
  const answer = parseJson(text);
  if (status !== 200) {
    const code = textAt(answer, 'Code') ?? '';
    const shown = /^\w{1,60}$/u.test(code) ? `${status} ${code}` : String(status);
    throw new CredentialsError(name, `the answer was ${shown}`, isTransientSourceStatus(status));
  }
  const accessKeyId = textAt(answer, 'AccessKeyId');
  const secretAccessKey = textAt(answer, 'SecretAccessKey');
  const expiration = textAt(answer, 'Expiration');
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new CredentialsError(name, 'the answer is not JSON with AccessKeyId and SecretAccessKey', false);
  }
  return {
    ...{ accessKeyId, secretAccessKey, sessionToken: textAt(answer, 'Token') },
    ...(expiration === undefined ? {} : { expiration: new Date(expiration) }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
