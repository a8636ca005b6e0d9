import { expect } from '@jest/globals';
import { describeExactlyOnce, type StepEnd } from '../../support/exactly-once.ts';
import { keylessTransport } from '../../support/keyless-transport.ts';

const appending: readonly string[] = ['create-policy', 'attest-sonar'];

/** Whether nothing was lost silently or recorded twice, and a red step says that it may be on record. */
function isRight({ records, failure }: StepEnd): boolean {
  if (failure === undefined) return records === 1;
  return records === 0 || (records === 1 && failure.message.includes('The service may still have recorded it.'));
}

describeExactlyOnce({
  title: 'with a service that ignores idempotency keys',
  service: keylessTransport,
  inputs: { retries: '20', timeout: '60' },
  check(ends, _step, operation) {
    const wrong = ends.filter((end) => !isRight(end) || (end.failure !== undefined && !appending.includes(operation)));
    expect(wrong).toEqual([]);
  },
});
