import { pipeline, Readable, type Transform } from 'node:stream';
import { errorCode } from '../../../runtime/failure.ts';
import { Damage } from '../regular-file.ts';

/**
 * Decompresses a stream.
 *
 * @param transform of `node:zlib`
 * @throws Damage if it is malformed or cut off
 */
export async function* decompress(
  packed: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Uint8Array, void, undefined> {
  // An error of the source reaches the reader of the transform, which is destroyed with it.
  const chunks: AsyncIterable<unknown> = pipeline(
    Readable.from(packed, { objectMode: false }),
    transform,
    () => undefined,
  );
  try {
    for await (const chunk of chunks) if (chunk instanceof Uint8Array) yield chunk;
  } catch (thrown) {
    if (errorCode(thrown)?.startsWith('Z_') !== true) throw thrown;
    throw new Damage('its compressed data is damaged or cut off');
  }
}
