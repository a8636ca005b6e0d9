import { describe, expect, it } from '@jest/globals';
import type { EnvironmentVariables } from '../../../src/runtime/dependencies.ts';
import { parseAttachments } from '../../../src/service/commands/parse-attachments.ts';

const credentials = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'the-secret' };
const parsed = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'the-secret' };

describe('the object storage of --attachments', () => {
  it('is AWS by default, in the region of the URL or of the environment', () => {
    expect(parseAttachments(undefined, {})).toBeUndefined();
    expect(parseAttachments('s3://evidence?region=eu-central-1', credentials)).toEqual({
      ...{ bucket: 'evidence', prefix: '', region: 'eu-central-1', endpoint: undefined, credentials: parsed },
    });
    const environment = { ...credentials, AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: 'session' };
    expect(parseAttachments('s3://evidence/service/a/', environment)).toEqual({
      ...{ bucket: 'evidence', prefix: 'service/a', region: 'eu-west-1', endpoint: undefined },
      credentials: { ...parsed, sessionToken: 'session' },
    });
  });

  it.each([
    ['https://s3.example.com/', 'https://s3.example.com'],
    ['https://example.com/s3/', 'https://example.com/s3'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
    ['http://minio:9000&allow-http=true', 'http://minio:9000'],
  ])('is at the endpoint %s', (endpoint, expected) => {
    const options = parseAttachments(`s3://evidence?endpoint=${endpoint}`, credentials);
    expect(options).toMatchObject({ region: 'us-east-1', endpoint: expected });
  });

  it.each([
    ['bucket', 'must be an S3 URL, such as s3://bucket/prefix?region='],
    ['https://bucket.s3.amazonaws.com', 'must be an S3 URL'],
    ['s3://', 'must name a bucket'],
    ['s3://no_bucket?region=a', 'must name a bucket'],
    ['s3://bucket:90?region=a', 'must name a bucket'],
    ['s3://bucket/a b?region=a', 'has the prefix a%20b; use letters, digits and . - _'],
    ['s3://bucket/a//b?region=a', 'has the prefix a//b'],
    ['s3://bucket', 'needs a region or an endpoint'],
    ['s3://bucket?region=', 'needs a region or an endpoint'],
    ['s3://bucket?region=a/b', 'the region in --attachments must be'],
    ['s3://bucket?endpoint=s3.example.com', 'the endpoint in --attachments must be an http(s) URL'],
    ['s3://bucket?endpoint=https://a@s3.example.com', 'without credentials'],
    ['s3://bucket?endpoint=http://minio:9000', 'is not encrypted; use https, or add &allow-http=true'],
  ])('is refused in %j, with the remedy', (text, message) => {
    expect(() => parseAttachments(text, credentials)).toThrow(message);
  });

  it.each([
    's3://AKIAEXAMPLE:the-secret@bucket?region=a',
    's3://bucket?region=a&secret=the-secret',
    's3://bucket?region=a#the-secret',
    's3://bucket?endpoint=https://AKIAEXAMPLE:the-secret@s3.example.com',
  ])('has no credentials in the URL %j, and they are not shown', (text) => {
    const read = (): unknown => parseAttachments(text, credentials);
    expect(read).toThrow(/credentials/u);
    expect(read).not.toThrow(/the-secret/u);
  });

  it.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])('needs %s', (name) => {
    const environment = { ...credentials, [name]: '' };
    expect(() => parseAttachments('s3://bucket?region=a', environment)).toThrow(
      '--attachments needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment',
    );
  });

  it.each(['AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN'])(
    'refuses a %s that no header can have, and shows none',
    (name) => {
      const environment = { ...credentials, [name]: 'pasted\n' };
      expect(() => parseAttachments('s3://bucket?region=a', environment)).toThrow(
        /^AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN must be printable ASCII; copy them again$/u,
      );
    },
  );

  describe('has credentials', () => {
    const parse = (environment: EnvironmentVariables, parameters = ''): unknown =>
      parseAttachments(`s3://bucket?region=eu-central-1${parameters}`, environment)?.credentials;
    const profile = { AWS_PROFILE: 'evidence' };
    const webIdentity = {
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/evidence',
      AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/secrets/token',
    };
    const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials' };

    it('from the first source that the environment names', () => {
      const all = { ...credentials, ...profile, ...webIdentity, ...container };
      expect(parse(all)).toEqual(parsed);
      expect(parse({ ...all, AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' })).toEqual({
        ...{ kind: 'profile', profile: 'evidence', region: 'eu-central-1' },
      });
      expect(parse({ ...webIdentity, ...container })).toMatchObject({ kind: 'web-identity' });
      expect(parse(container)).toMatchObject({ kind: 'container' });
    });

    it('for a web identity, from STS in the region of the environment or of the bucket', () => {
      expect(parse(webIdentity)).toEqual({
        ...{ kind: 'web-identity', sessionName: 'compliance-service', region: 'eu-central-1', endpoint: undefined },
      });
      const other = { AWS_ROLE_SESSION_NAME: 'own', AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_STS: 'https://sts.test' };
      expect(parse({ ...webIdentity, ...other })).toEqual({
        ...{ kind: 'web-identity', sessionName: 'own', region: 'eu-west-1', endpoint: 'https://sts.test' },
      });
    });

    it('of a container, from a path or an address', () => {
      const [full, relative] = ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
      expect(parse(container)).toEqual({ kind: 'container', variable: full });
      expect(parse({ ...container, [relative]: '/v2/credentials' })).toEqual({ kind: 'container', variable: relative });
      expect(parse({ ...container, [relative]: '' })).toEqual({ kind: 'container', variable: full });
    });

    it('of an instance only if the URL says so', () => {
      expect(parse({}, '&instance-role=true')).toEqual({ kind: 'instance' });
      expect(parse({ ...profile, ...container }, '&instance-role=true')).toEqual({ kind: 'instance' });
    });

    it.each<[string, EnvironmentVariables, string, RegExp]>([
      [
        'nothing is named',
        {},
        '',
        /needs credentials\. Set AWS_ACCESS_KEY_ID.*AWS_PROFILE.*AWS_ROLE_ARN.*instance-role=true/u,
      ],
      ['nothing is named', {}, '&instance-role=false', /needs credentials\. Set .*AWS_CONTAINER_CREDENTIALS_FULL_URI/u],
      ['the token of the role is missing', { AWS_ROLE_ARN: 'arn' }, '', /needs credentials\. Set/u],
      ['there are keys, too', credentials, '&instance-role=true', /instance-role=true, but AWS_ACCESS_KEY_ID is set/u],
      [
        'the metadata service is disabled',
        { AWS_EC2_METADATA_DISABLED: 'TRUE' },
        '&instance-role=true',
        /but AWS_EC2_METADATA_DISABLED is set/u,
      ],
      ['STS is no URL', { ...webIdentity, AWS_ENDPOINT_URL_STS: 'sts' }, '', /AWS_ENDPOINT_URL_STS.* must be an http/u],
      [
        'STS is not encrypted',
        { ...webIdentity, AWS_ENDPOINT_URL: 'http://sts.test' },
        '',
        /not encrypted; use https/u,
      ],
    ])('or says what to set if %s', (_what, environment, parameters, message) => {
      expect(() => parse(environment, parameters)).toThrow(message);
      expect(() => parse(environment, parameters)).not.toThrow(/the-secret/u);
    });
  });
});
