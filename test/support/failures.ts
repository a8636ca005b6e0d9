import { Failure } from '../../src/runtime/failure.ts';

/**
 * The failure that a piece of work ends with.
 *
 * @throws where it ends well, or with anything but a failure of this project's
 */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const ended = await work.then(
    () => 'it ended well',
    (error: unknown) => error,
  );
  if (ended instanceof Failure) return ended;
  throw new Error('expected a failure', { cause: ended });
}
