import { UserError } from '../../src/runtime/failure.ts';

/** The mistake that the work ends with; anything else that happens fails the test. */
export async function userErrorOf(work: () => unknown): Promise<UserError> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown;
    throw thrown;
  }
  throw new Error('no mistake was found');
}
