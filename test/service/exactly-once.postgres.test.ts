import { expect } from '@jest/globals';
import { describeExactlyOnce } from '../support/exactly-once.ts';

describeExactlyOnce({
  title: 'with two processes that share a database, and take turns in answering',
  service: (inner) => inner,
  inputs: { retries: '20', timeout: '60' },
  processes: 2,
  check(ends, { state }) {
    const wrong = ends.filter((end) => end.records !== 1 || end.failure !== undefined || end.state !== state);
    expect(wrong).toEqual([]);
  },
});
