import { expect } from '@jest/globals';
import { describeExactlyOnce } from '../../support/exactly-once.ts';
import { keyingTransport } from '../../support/keying-transport.ts';

describeExactlyOnce({
  title: 'with a service that honours idempotency keys',
  service: keyingTransport,
  inputs: { retries: '20', timeout: '60' },
  check(ends, { state }) {
    const wrong = ends.filter((end) => end.records !== 1 || end.failure !== undefined || end.state !== state);
    expect(wrong).toEqual([]);
  },
});
