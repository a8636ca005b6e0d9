import { MistakeError } from '../../src/runtime/failure.ts';

/** The mistake that the work ends with; anything else that happens fails the test. */
export async function mistakeOf(work: () => unknown): Promise<MistakeError> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof MistakeError) return thrown;
    throw thrown;
  }
  throw new Error('no mistake was found');
}
