import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type BranchCommit,
  type RangeQuery,
  walkFirstParents,
} from '../../../src/evidence/commit/first-parent-commits.ts';
import { failureOf } from '../../support/failures.ts';

const shaOf = (index: number): string => index.toString(16).padStart(40, 'f');

/** Commits in GitHub's order, children first; each has later ones as its parents. The first is the head. */
const histories = fc
  .array(fc.record({ skipped: fc.nat(2), age: fc.nat(1000) }), { minLength: 1, maxLength: 350 })
  .map((drawn) =>
    drawn.map(({ skipped, age }, index): BranchCommit => {
      const parent = Math.min(index + 1 + skipped, drawn.length);
      const firstParent = parent === drawn.length ? undefined : shaOf(parent);
      return { sha: shaOf(index), firstParent, time: 1000 - age, author: 'ann', url: undefined };
    }),
  );

const query: RangeQuery = { branch: 'main', head: shaOf(0), since: undefined, first: undefined };

async function walk(history: readonly BranchCommit[], changes: Partial<RangeQuery> = {}) {
  const pages: number[] = [];
  const range = await walkFirstParents({ ...query, ...changes }, (page) => {
    pages.push(page);
    return Promise.resolve(history.slice((page - 1) * 100, page * 100));
  });
  return { ...range, shas: range.commits.map(({ sha }) => sha), pages };
}

/** The first parents, found in the whole history. */
function chainOf(history: readonly BranchCommit[]): readonly BranchCommit[] {
  const [commit] = history;
  if (commit === undefined) return [];
  const next = history.findIndex(({ sha }) => sha === commit.firstParent);
  return next < 0 ? [commit] : [commit, ...chainOf(history.slice(next))];
}

/** Commits with one parent each, and these times. */
function linear(...times: readonly number[]): readonly BranchCommit[] {
  return times.map((time, index) => ({
    ...{ sha: shaOf(index), time, author: 'ann', url: undefined },
    firstParent: index + 1 < times.length ? shaOf(index + 1) : undefined,
  }));
}

describe('the first-parent commits of a branch', () => {
  it('are the chain of first parents, back to the first commit, to `since`, or to the first trail', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (history, drawn) => {
        const chain = chainOf(history).map(({ sha }) => sha);
        expect(await walk(history)).toMatchObject({ shas: chain, isWhole: true });
        const place = drawn % chain.length;
        const chosen = chain[place] ?? '';
        const after = await walk(history, { since: { sha: chosen } });
        expect(after).toMatchObject({ shas: chain.slice(0, place), isWhole: false });
        expect((await walk(history, { first: chosen })).shas).toEqual(chain.slice(0, place + 1));
      }),
    );
  });

  it('hide none above a commit that is not older than `since`, whatever dates they have', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(1000), async (history, time) => {
        const found = await walk(history, { since: { time } });
        const chain = chainOf(history.slice(0, found.pages.length * 100));
        const oldest = chain.findLastIndex((commit) => (commit.time ?? 0) >= time);
        expect(found.shas).toEqual(chain.slice(0, oldest + 1).map(({ sha }) => sha));
      }),
    );
    const backdated = linear(1, 500, 1, 400, 20);
    expect(await walk(backdated, { since: { time: 300 } })).toMatchObject({
      shas: [0, 1, 2, 3].map(shaOf),
      isWhole: false,
    });
  });

  it('are read no further than to a page of old commits', async () => {
    const history = linear(...Array.from({ length: 500 }, (_, index) => 1000 - index));
    const { shas, pages } = await walk(history, { since: { time: 951 } });
    expect([shas.length, pages]).toEqual([50, [1, 2]]);
  });

  it('are an error if there are too many, if `since` is not among them, or if the list has a gap', async () => {
    const many = linear(...Array.from({ length: 1001 }, () => 1));
    expect(await failureOf(walk(many))).toMatchObject({
      kind: 'user',
      message: expect.stringContaining('branch main has too many commits to audit: more than 1000 first parents'),
      remedy: 'Set `since` to a later commit or time.',
    });
    expect((await walk(many, { since: { sha: shaOf(1000) } })).shas).toHaveLength(1000);
    const elsewhere = 'e'.repeat(40);
    expect(await failureOf(walk(linear(1, 1), { since: { sha: elsewhere } }))).toMatchObject({
      kind: 'user',
      message: `since: commit ${elsewhere} is not a first-parent commit of branch main`,
    });
    const circle = linear(1, 1).map((commit, index) => ({ ...commit, firstParent: shaOf(1 - index) }));
    expect(await failureOf(walk(circle))).toMatchObject({ kind: 'external' });
    expect(await failureOf(walk(linear(1, 1, 1).slice(0, 2)))).toMatchObject({
      kind: 'external',
      message: expect.stringContaining(`ends without commit ${shaOf(2)}, so the audit would be incomplete`),
    });
  });
});
