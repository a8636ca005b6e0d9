import { describe, expect, it } from '@jest/globals';
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
});
