import { afterAll, expect, it } from '@jest/globals';
import { DataJudging, JudgingOverloadedError } from '../../../../src/service/platform/judging/data-judging.ts';

const judging = new DataJudging();
afterAll(() => judging.close());

/** The positions of what is refused. */
const listRefused = async (all: readonly Promise<unknown>[]): Promise<readonly number[]> =>
  (await Promise.allSettled(all)).flatMap((one, index) =>
    one.status === 'rejected' && one.reason instanceof JudgingOverloadedError ? [index] : [],
  );

it('lets 16 judgements of an organization wait, but no definition, and does not count those of others', async () => {
  const definition = { rules: ['.tests > 0'], summary: [] };
  const judge = (): Promise<unknown> => judging.judge('acme', { definition, data: '{"tests":1}' });
  expect(await listRefused(Array.from({ length: 18 }, judge))).toEqual([16, 17]);
  const organizations = ['acme', 'acme', 'globex'];
  expect(await listRefused(organizations.map((org) => judging.check(org, definition)))).toEqual([1]);
});
