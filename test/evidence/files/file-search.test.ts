import { expect, it } from '@jest/globals';
import { FileSearch } from '../../../src/evidence/files/file-search.ts';
import { parseLine } from '../../../src/evidence/files/select-files.ts';
import { withFileTree } from '../../support/file-tree.ts';
import { userErrorOf } from '../../support/user-error.ts';

it('a search ends at a limit, even if nothing matches, such as from the root of the runner', async () => {
  await withFileTree({ 'a/1': '', 'b/2': '' }, async (tree) => {
    const line = parseLine('**/x.xml', tree.root);
    const [pattern] = 'patterns' in line ? line.patterns : [];
    if (pattern === undefined) throw new Error('the line is a pattern');
    const rules = { isExcluded: () => false, directories: 'content' } as const;
    await new FileSearch(pattern, rules, 4).run();
    const { message } = await userErrorOf(() => new FileSearch(pattern, rules, 3).run());
    expect(message).toBe(`More than 3 files and directories were searched below ${tree.root}`);
  });
});
