import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type ObjectStorageServer,
  startObjectStorage,
} from '../../../../tools/servers/object-storage/object-storage-server.ts';
import { testAttachments } from '../../../support/object-storage.ts';
import { describeWithOwnObjectStorage } from '../../../support/own-servers.ts';
import { startSlowConnection } from '../../../support/slow-connection.ts';

async function statusOf(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/compliance-test/file`, { headers: { connection: 'close' } });
  await answer.text();
  return answer.status;
}

describeWithOwnObjectStorage('object storage of its own', () => {
  let server: ObjectStorageServer;

  beforeAll(async () => {
    server = await startObjectStorage();
  });
  afterAll(() => server.remove());

  it('has a bucket, and answers nobody without credentials', async () => {
    expect(server.url()).toBe(`s3://compliance-test?endpoint=http://127.0.0.1:${server.port}&region=us-east-1`);
    expect(await statusOf(server.port)).toBe(403);
  });

  it('keeps its objects while it is stopped', async () => {
    const path = join(server.bucketFolder, 'file');
    writeFileSync(path, 'content');
    await server.stop();
    await expect(statusOf(server.port)).rejects.toThrow('fetch failed');
    await server.start();
    expect(existsSync(path)).toBe(true);
    expect(await statusOf(server.port)).toBe(403);
  });

  it('is reached through a slow or broken connection', async () => {
    const connection = await startSlowConnection(server.port);
    connection.delay(1);
    expect(await statusOf(connection.port)).toBe(403);
    connection.hold();
    const held = statusOf(connection.port);
    connection.release();
    expect(await held).toBe(403);
    connection.refuse(true);
    await expect(statusOf(connection.port)).rejects.toThrow('fetch failed');
    connection.refuse(false);
    expect(await statusOf(connection.port)).toBe(403);
    await connection.close();
  });
});

it('each test gets a prefix of its own in the shared object storage', () => {
  const [first, second] = [testAttachments(), testAttachments()];
  expect(first).toMatch(/^s3:\/\/[^?]+\/test-[0-9a-f-]{36}\?endpoint=/u);
  expect(second).not.toBe(first);
});
