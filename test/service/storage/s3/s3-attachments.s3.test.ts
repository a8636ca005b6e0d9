import { describe, expect, it } from '@jest/globals';
import { AwsClient } from 'aws4fetch';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../src/runtime/clock.ts';
import { parseAttachments } from '../../../../src/service/commands/parse-attachments.ts';
import { openS3Attachments } from '../../../../src/service/storage/s3/open-s3-attachments.ts';
import type { S3AttachmentStore } from '../../../../src/service/storage/s3/s3-attachments.ts';
import { S3Client } from '../../../../src/service/storage/s3/s3-client.ts';
import { toObjectUrl, type S3Credentials, type S3Options } from '../../../../src/service/storage/s3/s3-options.ts';
import { testAttachments } from '../../../support/object-storage.ts';
import { describeAttachments, digestOf } from '../attachments-acceptance.ts';

const log = { info: (): void => undefined, error: (): void => undefined };

function place(): S3Options {
  const options = parseAttachments(testAttachments(), process.env);
  if (options === undefined) throw new TypeError('there is no object storage');
  return options;
}

function keysOf({ credentials }: S3Options): S3Credentials {
  if ('kind' in credentials) throw new TypeError('the tests are run with AWS_ACCESS_KEY_ID');
  return credentials;
}

function open(options: S3Options, temporaryFolder = tmpdir()): Promise<S3AttachmentStore> {
  return openS3Attachments(options, { ...systemClock, randomBytes, log, temporaryFolder });
}

/** What the store itself never does. */
function administrator(options: S3Options): {
  readonly list: () => Promise<readonly string[]>;
  readonly remove: (name: string) => Promise<void>;
} {
  const { accessKeyId, secretAccessKey } = keysOf(options);
  const client = new AwsClient({ accessKeyId, secretAccessKey, region: options.region, service: 's3' });
  const bucket = new URL('/', toObjectUrl(options, '')).href + options.bucket;
  return {
    list: async () => {
      const response = await client.fetch(`${bucket}?list-type=2&prefix=${encodeURIComponent(`${options.prefix}/`)}`);
      const keys = (await response.text()).matchAll(/<Key>([^<]+)<\/Key>/gu);
      return Array.from(keys, ([, key = '']) => key.slice(options.prefix.length + 1));
    },
    remove: async (name) => {
      await client.fetch(toObjectUrl(options, name).href, { method: 'DELETE' });
    },
  };
}

describeAttachments('attachments in a real object storage', async () => {
  const options = place();
  const folder = await mkdtemp(join(tmpdir(), 'compliance-uploads-'));
  const attachments = await open(options, folder);
  const { list, remove } = administrator(options);
  const client = new S3Client(options, { clock: systemClock, randomBytes, log });
  return {
    attachments,
    list: async () => {
      const names = (await list()).filter((name) => name !== 'probe');
      return [...names.map((name) => /^(..)\/(\1.{62})$/u.exec(name)?.[2] ?? name), ...(await readdir(folder))];
    },
    replace: async (digest, content) => {
      const name = `${digest.slice(0, 2)}/${digest}`;
      if (content === undefined) await remove(name);
      else await client.put(name, toSent(content), limits);
    },
    close: async () => {
      for (const name of await list()) await remove(name);
      attachments.close();
      client.close();
      await rm(folder, { recursive: true });
    },
  };
});

const limits = { connect: 5000, silence: 10_000, lastAttempt: 0, call: 10_000, attempts: 1 };

function toSent(content: Buffer): { digest: string; size: number; chunks(): readonly Buffer[] } {
  return { digest: digestOf(content), size: content.length, chunks: () => [content] };
}

describe('a real object storage', () => {
  it('refuses content that is not what the digest says', async () => {
    const options = place();
    const client = new S3Client(options, { clock: systemClock, randomBytes, log });
    const sent = { ...toSent(Buffer.from('sent')), digest: digestOf(Buffer.from('other')) };
    await expect(client.put('ab/cd', sent, limits)).rejects.toMatchObject({ name: 'StorageError' });
    expect(await administrator(options).list()).toEqual([]);
    client.close();
  });

  it('refuses wrong credentials; the service does not start, and names the variables', async () => {
    const options = place();
    for (const wrong of [{ secretAccessKey: 'wrong' }, { accessKeyId: 'WRONG' }]) {
      const started = open({ ...options, credentials: { ...keysOf(options), ...wrong } });
      await expect(started).rejects.toThrow(/^the attachments in s3:.* cannot be used: .*AWS_SECRET_ACCESS_KEY/u);
      await expect(started).rejects.toMatchObject({ name: 'StartError' });
    }
  });

  it('refuses a bucket that does not exist; the service does not start, and names the bucket', async () => {
    const started = open({ ...place(), bucket: 'no-such-bucket-anywhere' });
    await expect(started).rejects.toThrow(/s3:\/\/no-such-bucket-anywhere\/.*create the bucket/u);
  });
});
