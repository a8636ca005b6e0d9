import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { errorMessage } from '../../../../src/runtime/failure.ts';
import {
  type AttachedContent,
  type AttachmentFault,
  type AttachmentStore,
  DamagedAttachmentError,
  type ReceivedFile,
} from '../../../../src/service/platform/attachments/attachments.ts';

/** A store of attachments, and ways to see and change its content that are not its own. */
export interface AttachmentsUnderTest {
  readonly attachments: AttachmentStore;
  /** The digests of all stored content, and the names of what else an upload has left. */
  list(): Promise<readonly string[]>;
  /** Replaces stored content; undefined removes it. */
  replace(digest: string, content: Buffer | undefined): Promise<void>;
  close(): Promise<void>;
}

/** The SHA-256 of content in hex. */
export function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A copy of content with one byte changed. */
function flipped(content: Buffer, place: number): Buffer {
  const copy = Buffer.from(content);
  copy[place] = (copy[place] ?? 0) ^ 1;
  return copy;
}

/** Stores content, as a request does. */
export async function keep(attachments: AttachmentStore, whole: Buffer): Promise<AttachedContent> {
  const received = await attachments.receive(Readable.from([whole]));
  try {
    await received.keep();
  } finally {
    await received.discard();
  }
  return received;
}

/** A stream that ends with an error after its first chunk. */
function failing(error: Error): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from('a beginning');
      await Promise.reject(error);
    })(),
  );
}

/** What every store of attachments must do. */
export function describeAttachments(name: string, open: () => Promise<AttachmentsUnderTest>): void {
  describe(name, () => {
    let tested: AttachmentsUnderTest;
    let attachments: AttachmentStore;
    const receive = (...chunks: Buffer[]): Promise<ReceivedFile> => attachments.receive(Readable.from(chunks));
    const content = async (record: AttachedContent): Promise<Buffer> => buffer(await attachments.read(record));

    beforeEach(async () => {
      tested = await open();
      ({ attachments } = tested);
    });
    afterEach(() => tested.close());

    it.each([70_003, 700_000])('stores received content of %d bytes under its digest', async (size) => {
      const whole = randomBytes(size);
      const received = await receive(whole.subarray(0, 70_000), Buffer.alloc(0), whole.subarray(70_000));
      expect(received).toMatchObject({ digest: digestOf(whole), size });
      expect(whole.equals(await received.bytes())).toBe(true);
      await expect(content(received)).rejects.toMatchObject({ fault: 'missing' });
      await received.keep();
      expect(whole.equals(await content(received))).toBe(true);
      await received.discard();
      expect(whole.equals(await content(received))).toBe(true);
      await attachments.verify(received);
      expect(await tested.list()).toEqual([received.digest]);
    });

    it('stores an empty file, too', async () => {
      const received = await receive();
      await received.keep();
      expect(await content(received)).toEqual(Buffer.alloc(0));
      await attachments.verify(received);
      await received.discard();
    });

    it('stores the same content once, also with concurrent uploads', async () => {
      const [one, other] = await Promise.all([receive(Buffer.from('same')), receive(Buffer.from('same'))]);
      await Promise.all([one.keep(), other.keep()]);
      await Promise.all([one.discard(), other.discard()]);
      expect(await tested.list()).toEqual([digestOf(Buffer.from('same'))]);
    });

    it('removes discarded content, and keeps what was stored before', async () => {
      const [discarded, kept] = [await receive(Buffer.from('one')), await receive(Buffer.from('two'))];
      await discarded.discard();
      await kept.keep();
      await kept.discard();
      expect(await tested.list()).toEqual([kept.digest]);
    });

    it('reads content several times at once, and to a reader that leaves early', async () => {
      const whole = randomBytes(700_000);
      const record = await keep(attachments, whole);
      const [one, other, left] = await Promise.all([content(record), content(record), attachments.read(record)]);
      expect(whole.equals(one) && whole.equals(other)).toBe(true);
      left.destroy();
    });

    it('leaves nothing of a failing stream', async () => {
      await expect(attachments.receive(failing(new Error('the sender is gone')))).rejects.toThrow('the sender is gone');
      expect(await tested.list()).toEqual([]);
    });

    it('reports a full disk', async () => {
      const full = failing(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
      await expect(attachments.receive(full)).rejects.toMatchObject({ name: 'StorageError', reason: 'full' });
    });

    it.each([
      ['EACCES', 'inaccessible'],
      ['EROFS', 'read-only'],
      ['EMFILE', 'exhausted'],
      ['EIO', 'failing'],
      ['EDQUOT', 'full'],
      ['EFBIG', 'full'],
      ['ESTALE', 'missing'],
    ])('says what is wrong with the storage when a write fails with %s', async (code, reason) => {
      const stream = failing(Object.assign(new Error(`${code}: write '/secret/path'`), { code }));
      const error: unknown = await attachments.receive(stream).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: expect.stringMatching(/^Storage/u) as unknown, reason });
      expect(errorMessage(error)).not.toContain('/secret/path');
      expect(await tested.list()).toEqual([]);
    });

    it('removes content, and stores it again', async () => {
      const whole = randomBytes(700_000);
      const received = await receive(whole);
      await received.keep();
      for (let times = 0; times < 2; times += 1) await attachments.remove(received.digest);
      expect(await tested.list()).not.toContain(received.digest);
      await received.keep();
      await received.keep();
      await received.discard();
      expect([whole.equals(await content(received)), await tested.list()]).toEqual([true, [received.digest]]);
    });

    it('leaves no content of a probe', async () => {
      await attachments.probe();
      await attachments.objectStorage?.probe();
      expect(await tested.list()).toEqual([]);
    });

    describe('content that is not what was received', () => {
      // More than one chunk, and not a whole number of them.
      const whole = randomBytes(700_000);

      it.each<[string, AttachmentFault, Buffer | undefined]>([
        ['is altered in its last byte', 'altered', flipped(whole, whole.length - 1)],
        ['is altered in its first byte', 'altered', flipped(whole, 0)],
        ['has a byte more', 'altered', Buffer.concat([whole, Buffer.alloc(1)])],
        ['lacks its last byte', 'truncated', whole.subarray(0, -1)],
        ['is empty', 'truncated', Buffer.alloc(0)],
        ['is gone', 'missing', undefined],
      ])('is an error before the first byte when it %s', async (_how, fault, damaged) => {
        const record = await keep(attachments, whole);
        await tested.replace(record.digest, damaged);
        await expect(attachments.read(record)).rejects.toMatchObject({ name: 'DamagedAttachmentError', fault });
        await expect(attachments.verify(record)).rejects.toBeInstanceOf(DamagedAttachmentError);
      });

      it('is not read to its end if it is altered while it is read', async () => {
        const record = await keep(attachments, whole);
        const stream = await attachments.read(record);
        await tested.replace(record.digest, flipped(whole, 600_000));
        // A store that has read everything before may go on with what it read.
        const outcome = await buffer(stream).catch((error: unknown) => error);
        if (outcome instanceof Buffer) expect(whole.equals(outcome)).toBe(true);
        else expect(outcome).toMatchObject({ fault: 'altered' });
      });

      it('is repaired by an upload of the same content', async () => {
        const record = await keep(attachments, whole);
        await tested.replace(record.digest, whole.subarray(0, 10));
        await keep(attachments, whole);
        expect((await content(record)).equals(whole)).toBe(true);
      });
    });
  });
}
