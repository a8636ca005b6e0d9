import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  type AttachedContent,
  type AttachmentStore,
  DamagedAttachmentError,
  type ReceivedFile,
} from '../attachments.ts';
import { verifyChunks, verifyContent } from '../content-check.ts';
import { streamAndDiscard, type UploadBuffer } from '../uploads/upload-buffer.ts';
import type { Bucket, CallLimits } from './bucket.ts';

/**
 * The limits of requests for content, which has at most 10 MiB. A storage that does not answer fails about 15 s after
 * `lastAttempt`, before a client gives up, which is after 30 s by default, its upload included. A slow connection has
 * as much time as proxies are told to wait (two minutes).
 */
export const contentLimits: CallLimits = { lastAttempt: 8000, call: 110_000, attempts: 4 };

/** The limits of a probe and of a removal. They must not take long, and are repeated later anyway. */
const probeLimits: CallLimits = { lastAttempt: 2000, call: 5000, attempts: 2 };

/**
 * The name of the object that a probe writes. It is always the same and never removed, so that the service needs
 * permission to remove objects only for attachments that admins remove.
 */
const probeName = 'probe';
const probeContent = Buffer.from('This object is written by health checks.\n');

function toObjectName(digest: string): string {
  return `${digest.slice(0, 2)}/${digest}`;
}

/**
 * Attachments in an S3-compatible storage, each as the object `ab/ab12…` named by its SHA-256. Only attachments that an
 * admin removes are deleted: content whose record was not written stays, and is used if the same content is sent again.
 */
export class S3Attachments implements AttachmentStore {
  readonly objectStorage: Pick<AttachmentStore, 'probe'> = { probe: () => this.#probeObjectStorage() };
  readonly #bucket: Bucket;
  readonly #uploads: UploadBuffer;

  constructor(bucket: Bucket, uploads: UploadBuffer) {
    this.#bucket = bucket;
    this.#uploads = uploads;
  }

  async receive(content: Readable): Promise<ReceivedFile> {
    const upload = await this.#uploads.receive(content);
    return { ...upload, keep: () => this.#bucket.put(toObjectName(upload.digest), upload, contentLimits) };
  }

  /** Reads the whole content before it returns: into memory if it is small, else into a temporary file. */
  async read(content: AttachedContent): Promise<Readable> {
    const upload = await this.#get(content, (body) => this.#uploads.receive(verifyChunks(body, content)));
    return streamAndDiscard(upload);
  }

  verify(content: AttachedContent): Promise<void> {
    return this.#get(content, (body) => verifyContent(body, content));
  }

  #get<Result>(content: AttachedContent, use: (body: AsyncIterable<Buffer>) => Promise<Result>): Promise<Result> {
    const missing = (cause: unknown): Error => new DamagedAttachmentError('missing', content, { cause });
    return this.#bucket.get(toObjectName(content.digest), contentLimits, { use, missing });
  }

  remove(digest: string): Promise<void> {
    return this.#bucket.remove(toObjectName(digest), probeLimits);
  }

  probe(): Promise<void> {
    return this.#uploads.probe();
  }

  async #probeObjectStorage(): Promise<void> {
    const digest = createHash('sha256').update(probeContent).digest('hex');
    const chunks = (): Iterable<Buffer> => [probeContent];
    await this.#bucket.put(probeName, { digest, size: probeContent.length, chunks }, probeLimits);
  }

  /** Nothing can be read or written afterwards. */
  close(): void {
    this.#bucket.close();
  }
}
