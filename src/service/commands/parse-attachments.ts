import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { isUnencryptedUrl } from '../../runtime/unencrypted-url.ts';
import type { S3Options } from '../platform/attachments/s3/s3-options.ts';
import { OptionError } from './command-line.ts';
import { parseCredentials } from './parse-credentials.ts';

const example = 's3://bucket/prefix?region=eu-central-1, or s3://bucket/prefix?endpoint=https://s3.example.com';
const parameters = ['region', 'endpoint', 'allow-http', 'instance-role'];

// The rules of AWS for names of buckets; other servers have the same.
const bucketForm = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u;
const prefixForm = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/u;
const regionForm = /^[a-z0-9-]{1,40}$/u;

/** The region that servers other than AWS expect if they have no regions. */
const defaultRegion = 'us-east-1';

/**
 * Reads the value of `--attachments`, with the credentials from the environment.
 *
 * @returns undefined if the option is not set
 * @throws OptionError; it never contains a credential, or anything that may be one
 */
export function parseAttachments(text: string | undefined, environment: EnvironmentVariables): S3Options | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') throw new OptionError(`--attachments must be an S3 URL, such as ${example}`);
  requireNoSecrets(url);
  const [bucket, prefix] = [url.host, url.pathname.replace(/^\/|\/$/gu, '')];
  if (!bucketForm.test(bucket)) throw new OptionError(`--attachments must name a bucket, such as ${example}`);
  if (prefix !== '' && !prefixForm.test(prefix)) {
    throw new OptionError(`--attachments has the prefix ${prefix}; use letters, digits and . - _ between slashes`);
  }
  const endpoint = parseEndpoint(url);
  const region = parseRegion(url.searchParams.get('region') ?? environment['AWS_REGION'], endpoint);
  const credentials = parseCredentials(environment, {
    region,
    allowHttp: isOn(url, 'allow-http'),
    instanceRole: isOn(url, 'instance-role'),
  });
  return { bucket, prefix, region, endpoint, credentials };
}

function requireNoSecrets({ username, password, searchParams, hash }: URL): void {
  if (username !== '' || password !== '') {
    throw new OptionError(
      '--attachments must not contain credentials, because other users of the machine can read flags; ' +
        'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  if (hash === '' && [...searchParams.keys()].every((name) => parameters.includes(name))) return;
  throw new OptionError(
    `--attachments has an unknown parameter; it can have ${parameters.join(', ')}; ` +
      'credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  );
}

function isOn({ searchParams }: URL, parameter: string): boolean {
  return searchParams.get(parameter) === 'true';
}

/** The address of the server, without a slash at its end; undefined for AWS. */
function parseEndpoint(attachments: URL): string | undefined {
  const text = attachments.searchParams.get('endpoint');
  if (text === null) return undefined;
  const url = URL.parse(text);
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isWeb || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new OptionError(
      'the endpoint in --attachments must be an http(s) URL without credentials, query or fragment',
    );
  }
  if (isUnencryptedUrl(url) && !isOn(attachments, 'allow-http')) {
    throw new OptionError(
      'the endpoint in --attachments is not encrypted; use https, or add &allow-http=true if the network is your own',
    );
  }
  return url.href.replace(/\/+$/u, '');
}

function parseRegion(text: string | undefined, endpoint: string | undefined): string {
  const region = text === undefined || text === '' ? undefined : text;
  if (region === undefined && endpoint !== undefined) return defaultRegion;
  if (region === undefined) throw new OptionError(`--attachments needs a region or an endpoint, such as ${example}`);
  if (regionForm.test(region)) return region;
  throw new OptionError('the region in --attachments must be a name such as eu-central-1');
}
