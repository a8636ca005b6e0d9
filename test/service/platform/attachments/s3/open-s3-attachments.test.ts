import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openS3Attachments } from '../../../../../src/service/platform/attachments/s3/open-s3-attachments.ts';
import type { S3Attachments } from '../../../../../src/service/platform/attachments/s3/s3-attachments.ts';
import { instantClock } from '../../../../support/clock.ts';
import { type FakeS3, refusal, startFakeS3 } from '../../../../support/fake-s3.ts';

describe('attachments in an object storage', () => {
  let server: FakeS3;
  let logged: string[];
  beforeEach(async () => {
    server = await startFakeS3();
    logged = [];
  });
  afterEach(() => server.close());

  const open = (change: { prefix?: string; temporaryFolder?: string } = {}): Promise<S3Attachments> => {
    const { temporaryFolder, ...options } = change;
    return openS3Attachments(
      { ...server.options, ...options },
      {
        ...{ ...instantClock({ maximumWait: 1000 }), randomBytes },
        log: { info: () => undefined, error: (line) => logged.push(line) },
        ...(temporaryFolder === undefined ? {} : { temporaryFolder }),
      },
    );
  };

  it('are checked with a write', async () => {
    const attachments = await open({ prefix: '' });
    expect([...server.objects.keys()]).toEqual(['/evidence/probe']);
    attachments.close();
  });

  it('are an error at the start if the storage refuses the write', async () => {
    server.failNext(refusal(403, 'InvalidAccessKeyId'));
    await expect(open()).rejects.toMatchObject({
      name: 'StartError',
      message:
        'the attachments in s3://evidence/service cannot be used: the object storage refuses access: ' +
        'PUT probe: 403 InvalidAccessKeyId (As InvalidAccessKeyId says); ' +
        'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN',
    });
  });

  it('are an error at the start if temporary files cannot be written', async () => {
    await expect(open({ temporaryFolder: '/no/such/folder' })).rejects.toMatchObject({ name: 'StartError' });
  });

  it('may be out of reach at the start, which is logged', async () => {
    server.failNext(refusal(503, 'SlowDown'), refusal(503, 'SlowDown'));
    const attachments = await open();
    expect(logged).toEqual([
      'the attachments in s3://evidence/service cannot be written now; the service tries again with every request',
    ]);
    await attachments.objectStorage.probe();
    attachments.close();
  });
});
