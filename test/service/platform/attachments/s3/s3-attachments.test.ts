import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { connectionInputs } from '../../../../../src/operations/inputs/connection-inputs.ts';
import type { Clock } from '../../../../../src/runtime/clock.ts';
import { describeError, errorMessage } from '../../../../../src/runtime/failure.ts';
import { valueAt } from '../../../../../src/runtime/untrusted-data.ts';
import { DamagedAttachmentError } from '../../../../../src/service/platform/attachments/attachments.ts';
import { Bucket, type SocketLimits, socketLimits } from '../../../../../src/service/platform/attachments/s3/bucket.ts';
import { contentLimits, S3Attachments } from '../../../../../src/service/platform/attachments/s3/s3-attachments.ts';
import type { S3Options } from '../../../../../src/service/platform/attachments/s3/s3-options.ts';
import { UploadBuffer } from '../../../../../src/service/platform/attachments/uploads/upload-buffer.ts';
import { instantClock, type ManualClock, manualClock } from '../../../../support/clock.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import {
  type FakeS3,
  halfAnswer,
  refusal,
  reset,
  type S3Fault,
  silence,
  startFakeS3,
} from '../../../../support/fake-s3.ts';
import {
  type Attack,
  chunked,
  drip,
  endlessAnswers,
  startRawServer,
  switching,
} from '../../../../support/raw-server.ts';
import { describeAttachments, digestOf, keep } from '../../database/attachments-acceptance.ts';

/** Pauses between attempts take no time; time limits, which are longer, never pass. */
const pauseless = (): ReturnType<typeof instantClock> => instantClock({ maximumWait: 1000 });

function open(options: S3Options, clock: Clock, folder = tmpdir()): S3Attachments {
  return new S3Attachments(new Bucket(options, { clock, randomBytes }), new UploadBuffer({ folder, randomBytes }));
}

describeAttachments('attachments in an object storage in memory', async () => {
  const server = await startFakeS3();
  const folder = await mkdtemp(join(tmpdir(), 'compliance-uploads-'));
  const attachments = open(server.options, pauseless(), folder);
  const names = [...server.objects.keys()];
  return {
    attachments,
    list: async () => [
      ...[...server.objects.keys()].filter((path) => !names.includes(path) && !path.endsWith('/probe')).map(toDigest),
      ...(await readdir(folder)),
    ],
    replace: (digest, content) => {
      const path = `/evidence/service/${digest.slice(0, 2)}/${digest}`;
      if (content === undefined) server.objects.delete(path);
      else server.objects.set(path, content);
      return Promise.resolve();
    },
    close: async () => {
      attachments.close();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
});

function toDigest(path: string): string {
  return /^\/evidence\/service\/(..)\/(\1.{62})$/u.exec(path)?.[2] ?? path;
}

describe('an object storage', () => {
  let server: FakeS3;
  let clock: ReturnType<typeof instantClock>;
  let attachments: S3Attachments;
  const opened = closeAfterEach();
  const openBucket = (options: S3Options, own: Clock, limits?: SocketLimits): Bucket => {
    const bucket = new Bucket(options, { clock: own, randomBytes }, limits);
    opened({
      close: () => {
        bucket.close();
        return Promise.resolve();
      },
    });
    return bucket;
  };
  // Larger than what is held in memory.
  const whole = randomBytes(400_000);
  beforeEach(async () => {
    server = await startFakeS3();
    clock = pauseless();
    attachments = open(server.options, clock);
  });
  afterEach(async () => {
    attachments.close();
    await server.close();
  });

  it('gets signed requests with the digest of the content', async () => {
    const { digest } = await keep(attachments, whole);
    const [call] = server.calls;
    expect(call).toMatchObject({ method: 'PUT', path: `/evidence/service/${digest.slice(0, 2)}/${digest}` });
    expect(call?.headers).toMatchObject({
      'x-amz-content-sha256': digest,
      'content-length': '400000',
    });
    expect(call?.headers['transfer-encoding']).toBeUndefined();
    expect(call?.headers.authorization).toMatch(/\/eu-central-1\/s3\/aws4_request,.*;x-amz-content-sha256;/u);
    expect(JSON.stringify(call)).not.toContain('the-secret');
  });

  it('gets the token of temporary credentials', async () => {
    const credentials = { accessKeyId: 'ASIATEMPORARY', secretAccessKey: 'temporary', sessionToken: 'session' };
    server.accepted.add(credentials);
    const content = { digest: digestOf(whole), size: whole.length, chunks: () => [whole] };
    const limits = { lastAttempt: 2000, call: 2000, attempts: 1 };
    await openBucket({ ...server.options, credentials }, clock).put('ab/cd', content, limits);
    const headers = server.calls[0]?.headers;
    expect(headers?.['x-amz-security-token']).toBe('session');
    expect(headers?.authorization).toMatch(/SignedHeaders=[\w;-]*;x-amz-security-token;/u);
  });

  it('gets always the same small object as a probe', async () => {
    await attachments.objectStorage.probe();
    await attachments.objectStorage.probe();
    expect([...server.objects.keys()]).toEqual(['/evidence/service/probe']);
  });

  it.each<[string, S3Fault]>([
    ['500', refusal(500, 'InternalError')],
    ['503', refusal(503)],
    ['SlowDown', refusal(503, 'SlowDown')],
    ['429', refusal(429, 'TooManyRequests')],
    ['a slow upload', refusal(400, 'RequestTimeout')],
    ['damage on the way', refusal(400, 'BadDigest')],
    ['a lost connection', reset],
  ])('is tried again after %s, with growing pauses', async (_what, fault) => {
    server.failNext(fault, fault, fault);
    const record = await keep(attachments, whole);
    expect(server.calls).toHaveLength(4);
    const [first = 0, second = 0, third = 0] = clock.waits;
    expect(clock.waits).toHaveLength(3);
    expect(first > 100 && first <= 200 && second > 200 && second <= 400 && third > 400 && third <= 800).toBe(true);
    server.failNext(fault, fault, fault);
    expect((await buffer(await attachments.read(record))).equals(whole)).toBe(true);
  });

  it.each<[string, S3Fault, string]>([
    ['500', refusal(500, 'InternalError'), 'failing'],
    ['503', refusal(503, 'SlowDown'), 'unreachable'],
    ['a lost connection', reset, 'unreachable'],
  ])('is given up after four attempts that end with %s', async (_what, fault, reason) => {
    server.failNext(fault, fault, fault, fault);
    await expect(keep(attachments, whole)).rejects.toMatchObject({ name: 'StorageError', reason });
    expect(server.calls).toHaveLength(4);
    expect(server.objects.size).toBe(0);
    await keep(attachments, whole);
  });

  it.each<[string, number, string, string, RegExp]>([
    ['wrong credentials', 403, 'SignatureDoesNotMatch', 'inaccessible', /AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY/u],
    ['an unknown key', 404, 'XAdminUserNotFound', 'inaccessible', /AWS_ACCESS_KEY_ID/u],
    ['expired credentials', 400, 'ExpiredToken', 'inaccessible', /AWS_SESSION_TOKEN/u],
    ['missing permissions', 403, 'AccessDenied', 'inaccessible', /AWS_ACCESS_KEY_ID.*permissions/u],
    ['a wrong clock', 403, 'RequestTimeTooSkewed', 'inaccessible', /set this machine's clock/u],
    ['another region', 400, 'AuthorizationHeaderMalformed', 'inaccessible', /region and the endpoint/u],
    ['a redirect', 301, 'PermanentRedirect', 'inaccessible', /region and the endpoint/u],
    ['a redirect without a code', 302, '', 'missing', /region and the endpoint/u],
    ['no bucket', 404, 'NoSuchBucket', 'missing', /create the bucket/u],
    ['no room', 507, 'XMinioStorageFull', 'full', /: 507/u],
    ['a quota', 403, 'QuotaExceeded', 'full', /: 403/u],
    ['a method that it does not know', 405, 'MethodNotAllowed', 'failing', /: 405 MethodNotAllowed/u],
  ])('that answers %s is not tried again; the log says what to do', async (_what, status, code, reason, remedy) => {
    server.failNext(refusal(status, code), refusal(status, code));
    const keepWhole = (): Promise<unknown> => keep(attachments, whole);
    const readMissing = (): Promise<unknown> => attachments.read({ digest: 'ab'.repeat(32), size: 1 });
    for (const work of [keepWhole, readMissing]) {
      const error: unknown = await work().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: expect.stringMatching(/^Storage/u) as unknown, reason });
      expect(errorMessage(error)).not.toMatch(/evidence|127/u);
      expect(describeError(error)).toMatch(remedy);
    }
    expect(server.calls).toHaveLength(2);
  });

  it('is read again if the connection is lost in the middle, or the answer does not end', async () => {
    const record = await keep(attachments, whole);
    server.failNext(halfAnswer({ close: true }));
    expect((await buffer(await attachments.read(record))).equals(whole)).toBe(true);
    server.failNext(halfAnswer({ close: true }), halfAnswer({ close: true }));
    await attachments.verify(record);
    server.failNext(...Array.from({ length: 4 }, () => halfAnswer({ close: true })));
    await expect(attachments.read(record)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it('stores nothing if the content fails while it is sent', async () => {
    const chunks = (): AsyncIterable<Buffer> => failing(whole, new DamagedAttachmentError('altered', content));
    const content = { digest: 'ab'.repeat(32), size: 500_000, chunks };
    const limits = { lastAttempt: 2000, call: 2000, attempts: 4 };
    const put = openBucket(server.options, clock).put('ab/cd', content, limits);
    await expect(put).rejects.toMatchObject({ name: 'DamagedAttachmentError' });
    expect(server.objects.size).toBe(0);
  });

  describe('has a time limit', () => {
    const limits = { lastAttempt: 30_000, call: 30_000, attempts: 1 };
    // The SDK has its own timers.
    const short = { connect: 100, silence: 100 };
    const content = { digest: digestOf(Buffer.from('a')), size: 1, chunks: () => [Buffer.from('a')] };
    const missing = (): Error => new Error('missing');
    let slow: ManualClock;
    beforeEach(() => {
      slow = manualClock();
    });
    afterEach(() => {
      jest.useRealTimers();
      expect(slow.pending()).toBe(0);
    });

    it('for requests without progress', async () => {
      server.failNext(silence);
      expect(await describeFailure(openBucket(server.options, slow, short).put('ab/cd', content, limits))).toMatch(
        /^the database or object storage cannot be reached: PUT ab\/cd: .*timed out after 100 ms of inactivity/u,
      );
    });

    it('for connections, TLS included', async () => {
      const silent = opened(await startRawServer());
      const options = { ...server.options, endpoint: `https://127.0.0.1:${silent.port}` };
      const failed = describeFailure(openBucket(options, slow, short).put('ab/cd', content, limits));
      expect(await failed).toContain('100 ms');
      await silent.abandoned();
    });

    it('for answers that stop in the middle', async () => {
      const { digest } = await keep(attachments, whole);
      server.failNext(halfAnswer({ close: false }));
      const use = (body: AsyncIterable<Buffer>): Promise<Buffer> => buffer(body);
      const name = `${digest.slice(0, 2)}/${digest}`;
      const failed = describeFailure(openBucket(server.options, slow, short).get(name, limits, { use, missing }));
      expect(await failed).toContain('100 ms of inactivity');
    });

    it('for all attempts', async () => {
      server.failNext(silence, silence);
      const failed = describeFailure(
        openBucket(server.options, slow).put('ab/cd', content, { ...limits, attempts: 9 }),
      );
      await server.received(1);
      await slow.advance(30_000);
      expect(await failed).toMatch(/PUT ab\/cd: .*no answer within 30 s/u);
    });

    it('for all attempts, which ends an answer that stopped', async () => {
      const { digest } = await keep(attachments, whole);
      server.failNext(halfAnswer({ close: false }));
      const use = async (body: AsyncIterable<Buffer>): Promise<void> => {
        for await (const chunk of body) if (chunk.length > 0) await slow.advance(30_000);
      };
      const name = `${digest.slice(0, 2)}/${digest}`;
      expect(await describeFailure(openBucket(server.options, slow).get(name, limits, { use, missing }))).toMatch(
        /^the database or object storage cannot be reached: GET/u,
      );
    });

    it.each<readonly [string, Attack]>([
      ...endlessAnswers,
      ['sends an answer byte by byte', drip(chunked, '1\r\n \r\n')],
      ['sends an error byte by byte', drip(chunked.replace('200 OK', '503 Unavailable'), '1\r\n \r\n')],
      [
        'switches protocols',
        (socket, expire) => {
          socket.once('close', expire).write(switching);
        },
      ],
    ])('for a storage that %s', async (_what, attack) => {
      // The SDK does not notice that protocols were switched, and leaves timers.
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
      const storage = opened(
        await startRawServer((socket) => {
          attack(socket, () => void slow.advance(30_000));
        }),
      );
      const bucket = openBucket({ ...server.options, endpoint: storage.url }, slow);
      const use = (body: AsyncIterable<Buffer>): Promise<Buffer> => buffer(body);
      const calls = [() => bucket.put('ab/cd', content, limits), () => bucket.get('ab/cd', limits, { use, missing })];
      for (const call of calls) {
        expect(await describeFailure(call())).toMatch(/(?:PUT|GET) ab\/cd: no answer within 30 s$/u);
        await storage.abandoned();
      }
    });

    it('for the start of the last attempt', async () => {
      const late: S3Fault = (request, response, objects) => {
        void slow.advance(3000).then(() => {
          refusal(503)(request, response, objects);
        });
      };
      server.failNext(late, late);
      const put = openBucket(server.options, slow).put('ab/cd', content, { ...limits, lastAttempt: 3000, attempts: 9 });
      expect(await describeFailure(put)).toContain('PUT ab/cd: 503');
      expect(server.calls).toHaveLength(1);
    });

    it('before a client gives up with the default settings', () => {
      const clientTimeout = 1000 * Number(valueAt(connectionInputs.timeoutSeconds, 'absent', 'value'));
      // The SDK begins to count within 3 s. The client sends the attachment within the same time.
      expect(contentLimits.lastAttempt + 3000 + socketLimits.silence).toBeLessThan(clientTimeout - 5000);
    });
  });

  it('that does not listen cannot be reached', async () => {
    const { port } = new URL(server.url);
    await server.close();
    await expect(attachments.objectStorage.probe()).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'unreachable',
    });
    expect(describeError(await attachments.objectStorage.probe().catch((error: unknown) => error))).toContain(port);
  });
});

/** The message of the error with its causes. */
function describeFailure(work: Promise<unknown>): Promise<string> {
  return work.then(() => 'no error', describeError);
}

async function* failing(first: Buffer, error: Error): AsyncGenerator<Buffer> {
  yield first;
  await Promise.reject(error);
}
