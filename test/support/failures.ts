import { Failure } from '../../src/runtime/failure.ts';

/**
 * Returns the failure that work ends with.
 *
 * @throws Error if it succeeds or throws anything else than a `Failure`
 */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const ended = await work.then(
    () => 'it ended well',
    (error: unknown) => error,
  );
  if (ended instanceof Failure) return ended;
  throw new Error('expected a failure', { cause: ended });
}
