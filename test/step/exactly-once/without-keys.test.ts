import { expect } from '@jest/globals';
import { apiEndpoints } from '../../../src/contract/api-endpoints.ts';
import { describeExactlyOnce, type StepEnd } from '../../support/exactly-once.ts';
import { keylessTransport } from './keyless-transport.ts';

/** The operations whose endpoints append a record. */
const appending: ReadonlySet<string | undefined> = new Set(
  apiEndpoints.filter(({ repetition }) => repetition.effect === 'appends').map(({ operation }) => operation),
);

/** The operations whose endpoints may append a record twice, because the newest counts. */
const harmlessTwice: ReadonlySet<string | undefined> = new Set(
  apiEndpoints
    .filter(({ repetition }) => repetition.effect === 'appends' && repetition.isHarmlessTwice === true)
    .map(({ operation }) => operation),
);

/** Whether nothing was lost silently or did harm by being recorded twice, and a red step says that it may be on record. */
function isRight({ records, failure }: StepEnd, isHarmlessTwice: boolean): boolean {
  if (records > 1 && !isHarmlessTwice) return false;
  if (failure === undefined) return records >= 1;
  return records === 0 || failure.message.includes('The service may still have recorded it.');
}

describeExactlyOnce({
  title: 'with a service that ignores idempotency keys',
  service: keylessTransport,
  inputs: { retries: '20', timeout: '60' },
  check(ends, _step, operation) {
    const isHarmless = harmlessTwice.has(operation);
    const wrong = ends.filter(
      (end) => !isRight(end, isHarmless) || (end.failure !== undefined && !appending.has(operation)),
    );
    expect(wrong).toEqual([]);
  },
});
