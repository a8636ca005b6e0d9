import { describe, expect, it } from '@jest/globals';
import { resolveOnlyFile } from '../../src/evidence/files/resolve-files.ts';
import { checkPolicyFile } from '../../src/evidence/policy-file.ts';
import { describeError } from '../../src/runtime/failure.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';
import { userErrorOf } from '../support/user-error.ts';

const workspace = workspaceForEachTest();

async function read(content: string | Uint8Array): Promise<string> {
  await workspace.write('policy.yml', content);
  return checkPolicyFile(await resolveOnlyFile(['policy.yml'], workspace.path, 'the policy'));
}

describe('checkPolicyFile', () => {
  it.each([
    '_schema: https://example.com/policy/v1\n',
    '# ours\nartifacts:\n  provenance:\n    required: true\n_schema: "https://example.com/policy/v1"\n',
    '---\n{_schema: https://example.com/policy/v1, artifacts: {attestations: [{if: "${{ flow.name == \\"web\\" }}"}]}}\n',
    '\ufeff_schema: https://example.com/policy/v1\r\nartifacts: {}\r\n',
  ])('finds the schema of a policy (%#)', async (text) => {
    expect(await read(text)).toBe('https://example.com/policy/v1');
  });

  it.each([
    ['_schema: x\n_schema: y\n', /^policy\.yml is not YAML, line 2, column 1: duplicated mapping key$/u],
    ['_schema: x\nartifacts: [\n', /^policy\.yml is not YAML, line \d+, column \d+: /u],
    ['_schema: x\n\tartifacts: 1\n', /^policy\.yml is not YAML, line 2/u],
    ['_schema: !!js/function x\n', /^policy\.yml is not YAML, line 1/u],
    ['_schema: x\n---\n_schema: y\n', /^policy\.yml is not YAML: expected a single document/u],
    ['', /^policy\.yml is not YAML: expected a document/u],
    ['- _schema: x\n', /^policy\.yml is YAML, but not a mapping, so it is not a policy$/u],
    ['just words\n', /not a mapping/u],
    ['artifacts: {}\n', /^policy\.yml has no `_schema`/u],
    ['_schema:\n', /has a `_schema` that is not a string/u],
    ['_schema: 1\n', /has a `_schema` that is not a string/u],
    ['_schema: ""\n', /has a `_schema` that is not a string/u],
  ])('refuses a file that is not a policy, with the line if there is one (%#)', async (text, words) => {
    const mistake = await userErrorOf(() => read(text));
    expect(describeError(mistake)).toMatch(words);
    expect(mistake.problems[0]?.input).toBe('files');
  });

  it('refuses a file that is not text', async () => {
    expect((await userErrorOf(() => read(Buffer.from([0xff, 0xfe, 0x00])))).message).toContain('not text in UTF-8');
  });
});
