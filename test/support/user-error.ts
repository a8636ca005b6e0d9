import { UserError } from '../../src/runtime/failure.ts';

/** Returns the `UserError` that work throws. If it does not throw one, the test fails. */
export async function userErrorOf(work: () => unknown): Promise<UserError> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown;
    throw thrown;
  }
  throw new Error('expected a UserError');
}
