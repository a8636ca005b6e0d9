import { describe, expect, it } from '@jest/globals';
import { resolveOnlyFile } from '../../../src/evidence/files/resolve-files.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';
import { userErrorOf } from '../../support/user-error.ts';

const workspace = workspaceForEachTest();

describe('resolveOnlyFile', () => {
  it('finds the one file, by pattern or path', async () => {
    const path = await workspace.write('a/policy.yml', 'x');
    for (const pattern of ['a/policy.yml', '**/*.yml', 'a', path]) {
      const file = await resolveOnlyFile([pattern], workspace.path, 'the policy');
      expect(file).toMatchObject({ path, size: 1 });
    }
  });

  it('refuses several files, and lists the first ones', async () => {
    for (let number = 10; number < 22; number += 1) await workspace.write(`${number}.yml`, '');
    const mistake = await userErrorOf(() => resolveOnlyFile(['*.yml'], workspace.path, 'the policy'));
    expect(mistake.message).toMatch(
      /exactly one file, the policy, but matches 12:\n {2}10\.yml\n[^]*19\.yml\n {2}and 2 more$/u,
    );
  });

  it('refuses an empty match', async () => {
    expect((await userErrorOf(() => resolveOnlyFile(['*.yml'], workspace.path, 'the policy'))).message).toContain(
      'No file matches "*.yml"',
    );
  });
});
