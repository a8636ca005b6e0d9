import { constants, open } from 'node:fs/promises';
import { CredentialsError } from './credentials-error.ts';

/** In bytes. The tokens of Kubernetes and EKS have a few thousand. */
const maximumBytes = 65_536;

/**
 * Reads the token in a file. Never waits for a writer: a read that does not end would hold a thread of the service.
 *
 * @param source for messages; see `describeSource`
 * @throws CredentialsError; the errors of the file system
 */
export async function readTokenFile(path: string, source: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) {
      throw new CredentialsError(source, `the token file ${path} is not a regular file`, false);
    }
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maximumBytes + 1) });
    if (bytesRead > maximumBytes) {
      throw new CredentialsError(source, `the token file ${path} is larger than ${maximumBytes} bytes`, false);
    }
    return buffer.toString('utf8', 0, bytesRead).trimEnd();
  } finally {
    await file.close();
  }
}
