import { tmpdir } from 'node:os';
import type { Clock } from '../../../../runtime/clock.ts';
import { describeError } from '../../../../runtime/failure.ts';
import type { ServiceLog } from '../../../../runtime/log.ts';
import type { RandomBytes } from '../../../../runtime/random.ts';
import { StartError } from '../../database/start-error.ts';
import { StorageError } from '../../database/storage-error.ts';
import type { AttachmentStore } from '../attachments.ts';
import { UploadBuffer } from '../uploads/upload-buffer.ts';
import { S3Attachments } from './s3-attachments.ts';
import { describeS3, type S3Options } from './s3-options.ts';

export interface S3AttachmentsDependencies extends Clock {
  readonly randomBytes: RandomBytes;
  readonly log: ServiceLog;
  /** For uploads in progress that are too large for memory. Default: the system's folder for temporary files. */
  readonly temporaryFolder?: string;
}

/**
 * Opens attachments in an S3-compatible storage, and checks that they can be written. If the storage cannot be reached
 * at the moment, that is logged and is no error.
 *
 * @throws StartError if the storage refuses the write, or temporary files cannot be written
 */
export async function openS3Attachments(
  options: S3Options,
  dependencies: S3AttachmentsDependencies,
): Promise<S3Attachments> {
  const attachments = await createS3Attachments(options, dependencies);
  try {
    await attachments.probe();
    await attachments.objectStorage.probe();
  } catch (error) {
    if (!(error instanceof StorageError) || error.reason !== 'unreachable') {
      attachments.close();
      throw toS3StartError(error, options);
    }
    const what = `the attachments in ${describeS3(options)} cannot be written now`;
    dependencies.log.error(`${what}; the service tries again with every request`, error);
  }
  return attachments;
}

/** Opens attachments in an S3-compatible storage to verify them. Writes nothing. */
export async function openS3Verifier(
  options: S3Options,
  dependencies: S3AttachmentsDependencies,
): Promise<Pick<AttachmentStore, 'verify'> & Disposable> {
  const attachments = await createS3Attachments(options, dependencies);
  return {
    verify: async (content) => {
      try {
        await attachments.verify(content);
      } catch (error) {
        throw toS3StartError(error, options);
      }
    },
    [Symbol.dispose]: () => {
      attachments.close();
    },
  };
}

async function createS3Attachments(
  options: S3Options,
  dependencies: S3AttachmentsDependencies,
): Promise<S3Attachments> {
  const { temporaryFolder = tmpdir(), randomBytes } = dependencies;
  const uploads = new UploadBuffer({ folder: temporaryFolder, randomBytes });
  // Takes 0.2 s and 30 MB to load.
  const { Bucket } = await import('./bucket.ts');
  return new S3Attachments(new Bucket(options, { clock: dependencies, randomBytes }), uploads);
}

/** Converts a storage error to a `StartError` with the address and the remedy. Returns other errors unchanged. */
export function toS3StartError(error: unknown, options: S3Options): unknown {
  if (!(error instanceof StorageError)) return error;
  const message = `the attachments in ${describeS3(options)} cannot be used: ${describeError(error)}`;
  return new StartError(message, { cause: error });
}
