import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeError } from '../../../../../../src/runtime/failure.ts';
import { parseAttachments } from '../../../../../../src/service/commands/parse-attachments.ts';
import { openS3Attachments } from '../../../../../../src/service/platform/attachments/s3/open-s3-attachments.ts';
import type { S3Attachments } from '../../../../../../src/service/platform/attachments/s3/s3-attachments.ts';
import { closedPort } from '../../../../../../tools/loopback-server.ts';
import { advanceUntil, type ManualClock, manualClock } from '../../../../../support/clock.ts';
import { closeAfterEach } from '../../../../../support/close-after-each.ts';
import { type FakeCredentials, startFakeCredentials } from '../../../../../support/fake-credentials.ts';
import { type FakeS3, startFakeS3 } from '../../../../../support/fake-s3.ts';
import { keep } from '../../../database/attachments-acceptance.ts';

const hour = 60 * 60_000;

/** Temporary credentials. */
function keysNamed(name: string): { accessKeyId: string; secretAccessKey: string; sessionToken: string } {
  return { accessKeyId: `ASIA${name}`, secretAccessKey: `secret of ${name}`, sessionToken: `session of ${name}` };
}

describe('attachments in an object storage with the credentials of the machine', () => {
  const opened = closeAfterEach();
  let storage: FakeS3;
  let source: FakeCredentials;
  let clock: ManualClock;
  let logged: string[];
  beforeEach(async () => {
    storage = opened(await startFakeS3());
    source = opened(await startFakeCredentials());
    clock = manualClock();
    logged = [];
  });
  const stores: S3Attachments[] = [];
  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
    delete process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  });

  const open = async (uri = `${source.url}/credentials`): Promise<S3Attachments> => {
    // The SDK reads it, too.
    process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = uri;
    const environment = { AWS_CONTAINER_CREDENTIALS_FULL_URI: uri };
    const options = parseAttachments(`s3://evidence/service?endpoint=${storage.url}`, environment);
    if (options === undefined) throw new TypeError('there are no options');
    const log = { info: () => undefined, error: (line: string) => logged.push(line) };
    const store = await openS3Attachments(options, { ...clock, randomBytes, log });
    stores.push(store);
    return store;
  };
  /** Gives out new credentials, and accepts only them. The SDK compares their end with the time of the machine. */
  const rotate = (name: string, lifetime = hour): void => {
    const keys = keysNamed(name);
    source.give(keys, new Date(Date.now() + lifetime));
    storage.accepted.clear();
    storage.accepted.add(keys);
  };
  const usedKeys = (): readonly (string | undefined)[] =>
    storage.calls.map(({ headers }) => /Credential=ASIA(\w+)/u.exec(headers.authorization ?? '')?.[1]);

  it('are kept, with keys that are asked for once', async () => {
    rotate('One');
    const attachments = await open();
    await Promise.all([1, 2, 3].map((each) => keep(attachments, Buffer.from(`content ${each}`))));
    expect(source.calls).toHaveLength(1);
    expect(storage.objects.size).toBe(4);
    expect(storage.calls[0]?.headers['x-amz-security-token']).toBe('session of One');
  });

  it('are kept with new keys five minutes before the old ones expire', async () => {
    rotate('One', hour / 15);
    const attachments = await open();
    rotate('Two');
    await keep(attachments, Buffer.from('content'));
    expect(usedKeys()).toEqual(['One', 'Two']);
  });

  it('are kept with new keys when the storage does not know the old ones any more', async () => {
    rotate('One');
    const attachments = await open();
    await clock.advance(hour / 2);
    rotate('Two');
    await keep(attachments, Buffer.from('content'));
    expect(usedKeys()).toEqual(['One', 'One', 'Two']);
    expect(source.calls).toHaveLength(2);
  });

  it('are an error at the start if the source refuses; the log names it, and no secret', async () => {
    source.failNext({ status: 403, body: '{"Code":"AccessDenied"}' });
    await expect(open()).rejects.toThrow(
      'the attachments in s3://evidence/service cannot be used: there are no credentials for the object storage: ' +
        'no credentials from the role of the container, at AWS_CONTAINER_CREDENTIALS_FULL_URI: ' +
        'Server responded with status: 403',
    );
  });

  it('are an error at the start if the storage refuses the role; the message names it', async () => {
    source.give(keysNamed('Other'), new Date(Date.now() + hour));
    await expect(open()).rejects.toThrow(/check the role of the container, at AWS_CONTAINER_CREDENTIALS_FULL_URI$/u);
  });

  it('may have a source that is out of reach at the start, which is logged', async () => {
    const uri = `http://127.0.0.1:${await closedPort()}/`;
    await advanceUntil(clock, open(uri));
    expect(logged).toEqual([expect.stringContaining('cannot be written now; the service tries again')]);
    expect(storage.calls).toEqual([]);
  });

  it('recover when the source does', async () => {
    rotate('One', hour / 15);
    const attachments = await open();
    rotate('Two');
    source.failNext({ status: 403 });
    const error: unknown = await attachments.objectStorage.probe().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      ...{ name: 'StorageError', reason: 'inaccessible' },
      message: 'there are no credentials for the object storage',
    });
    expect(describeError(error)).toContain('status: 403');
    await attachments.objectStorage.probe();
    expect(usedKeys()).toEqual(['One', 'Two']);
  });
});
