import { describe, expect, it } from '@jest/globals';
import { maximumDocumentBytes } from '../../../src/contract/limits.ts';
import { readReport } from '../../../src/evidence/sonar/read-report.ts';
import { failureOf } from '../../support/failures.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

describe('a report', () => {
  it.each(['utf8', 'utf16le'] as const)('may be JSON in %s with a byte order mark', async (encoding) => {
    const path = await workspace.write('report.json', Buffer.from('\uFEFF{}', encoding));
    expect(await readReport(path)).toEqual({ kind: 'results', document: {} });
  });

  it.each([
    ['JSON that is nested too deeply', '['.repeat(200_000) + ']'.repeat(200_000), 'nested too deeply'],
    ['larger than an attestation may be', `["${'a'.repeat(maximumDocumentBytes)}"]`, 'too large for the Sonar report'],
    ['not text', Buffer.from([0x7b, 0xff, 0x7d]), 'is not text in UTF-8'],
  ])('that is %s is refused, naming the file', async (_what, content, words) => {
    const path = await workspace.write('report', content);
    const failure = await failureOf(readReport(path));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(path);
    expect(failure.message).toContain(words);
  });
});
