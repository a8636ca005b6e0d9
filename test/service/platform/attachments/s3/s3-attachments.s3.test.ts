import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../../../src/runtime/clock.ts';
import { parseAttachments } from '../../../../../src/service/commands/parse-attachments.ts';
import { Bucket } from '../../../../../src/service/platform/attachments/s3/bucket.ts';
import type { S3Credentials } from '../../../../../src/service/platform/attachments/s3/credentials/credential-source.ts';
import { openS3Attachments } from '../../../../../src/service/platform/attachments/s3/open-s3-attachments.ts';
import type { S3Attachments } from '../../../../../src/service/platform/attachments/s3/s3-attachments.ts';
import type { S3Options } from '../../../../../src/service/platform/attachments/s3/s3-options.ts';
import { testAttachments } from '../../../../support/object-storage.ts';
import { describeAttachments, digestOf } from '../../database/attachments-acceptance.ts';

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

function open(options: S3Options, temporaryFolder = tmpdir()): Promise<S3Attachments> {
  return openS3Attachments(options, { ...systemClock, randomBytes, log, temporaryFolder });
}

/** What the store itself never does. */
function administrator(options: S3Options): {
  readonly list: () => Promise<readonly string[]>;
  readonly remove: (name: string) => Promise<void>;
} {
  const { region, endpoint = '', bucket: Bucket, prefix } = options;
  const client = new S3Client({ region, endpoint, forcePathStyle: true, credentials: keysOf(options) });
  return {
    list: async () => {
      const { Contents: found = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}/` }));
      return found.map(({ Key = '' }) => Key.slice(prefix.length + 1));
    },
    remove: async (name) => {
      await client.send(new DeleteObjectCommand({ Bucket, Key: `${prefix}/${name}` }));
    },
  };
}

describeAttachments('attachments in a real object storage', async () => {
  const options = place();
  const folder = await mkdtemp(join(tmpdir(), 'compliance-uploads-'));
  const attachments = await open(options, folder);
  const { list, remove } = administrator(options);
  const bucket = new Bucket(options, { clock: systemClock, randomBytes });
  return {
    attachments,
    list: async () => {
      const names = (await list()).filter((name) => name !== 'probe');
      return [...names.map((name) => /^(..)\/(\1.{62})$/u.exec(name)?.[2] ?? name), ...(await readdir(folder))];
    },
    replace: async (digest, content) => {
      const name = `${digest.slice(0, 2)}/${digest}`;
      if (content === undefined) await remove(name);
      else await bucket.put(name, toSent(content), limits);
    },
    close: async () => {
      for (const name of await list()) await remove(name);
      attachments.close();
      bucket.close();
      await rm(folder, { recursive: true });
    },
  };
});

const limits = { lastAttempt: 0, call: 10_000, attempts: 1 };

function toSent(content: Buffer): { digest: string; size: number; chunks(): readonly Buffer[] } {
  return { digest: digestOf(content), size: content.length, chunks: () => [content] };
}

describe('a real object storage', () => {
  it('refuses content that is not what the digest says', async () => {
    const options = place();
    const bucket = new Bucket(options, { clock: systemClock, randomBytes });
    const sent = { ...toSent(Buffer.from('sent')), digest: digestOf(Buffer.from('other')) };
    await expect(bucket.put('ab/cd', sent, limits)).rejects.toMatchObject({ name: 'StorageError' });
    expect(await administrator(options).list()).toEqual([]);
    bucket.close();
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
