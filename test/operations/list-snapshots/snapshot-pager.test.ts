import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SnapshotEntry } from '../../../src/contract/snapshot.ts';
import { createSnapshotPager } from '../../../src/operations/list-snapshots/snapshot-pager.ts';
import { failureOf } from '../../support/failures.ts';

function entry(index: number): SnapshotEntry {
  return { index, from: index, to: 0 };
}

/** The numbers of the snapshots that the pager returns, page by page. */
async function walked(walk: Parameters<typeof createSnapshotPager>[0]): Promise<readonly number[]> {
  const numbers: number[] = [];
  const next = createSnapshotPager(walk);
  for (let page = await next(); page !== undefined; page = await next()) {
    numbers.push(...page.map(({ index }) => index));
  }
  return numbers;
}

describe('createSnapshotPager', () => {
  it('loses and repeats nothing while snapshots are made, for any page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.nat({ max: 3 }), { maxLength: 30 }),
        fc.boolean(),
        async (latest, size, arrivals, reverse) => {
          let count = latest;
          const numbers = await walked({
            latest,
            reverse,
            fetchPage(page) {
              // Fewer snapshots are added than fit on a page; otherwise the pager could not keep up.
              count += Math.min(size - 1, arrivals[page - 1] ?? 0);
              const all = Array.from({ length: count }, (_, at) => entry(reverse ? at + 1 : count - at));
              return Promise.resolve(all.slice((page - 1) * size, page * size));
            },
          });
          const expected = Array.from({ length: latest }, (_, at) => (reverse ? at + 1 : latest - at));
          expect(numbers).toEqual(expected);
        },
      ),
    );
  });

  it('ends at an empty page if the first snapshots were deleted', async () => {
    const pages = [[entry(5), entry(4)], [entry(3)], []];
    const fetchPage = (page: number): Promise<readonly SnapshotEntry[]> => Promise.resolve(pages[page - 1] ?? []);
    expect(await walked({ latest: 5, reverse: false, fetchPage })).toEqual([5, 4, 3]);
  });

  it('fetches nothing beyond the end', async () => {
    const asked: number[] = [];
    const fetchPage = (page: number): Promise<readonly SnapshotEntry[]> => {
      asked.push(page);
      return Promise.resolve([entry(2), entry(1)]);
    };
    expect(await walked({ latest: 2, reverse: false, fetchPage })).toEqual([2, 1]);
    expect(asked).toEqual([1]);
  });

  it('fails if the service repeats the same page', async () => {
    const fetchPage = (): Promise<readonly SnapshotEntry[]> => Promise.resolve([entry(5), entry(4)]);
    const failure = await failureOf(walked({ latest: 5, reverse: false, fetchPage }));
    expect(failure).toMatchObject({ kind: 'external' });
    expect(failure.message).toContain('kept returning the same snapshots');
  });
});
