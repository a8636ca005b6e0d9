import { describe, expect, it } from '@jest/globals';
import { maximumDocumentBytes } from '../../../src/contract/limits.ts';
import { readReport } from '../../../src/evidence/sonar/read-report.ts';
import { failureOf } from '../../support/failures.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

describe('a report', () => {
  it('is recognized by its content, not by its name', async () => {
    const json = await workspace.write('report-task.txt', ' \n{"revision":"x"}');
    expect(await readReport(json)).toEqual({ kind: 'results', document: { revision: 'x' } });
    const task = await workspace.write('report.json', 'ceTaskId=A\n');
    expect(await readReport(task)).toMatchObject({ kind: 'task', task: { ceTaskId: 'A' } });
  });

  it.each(['utf8', 'utf16le'] as const)('may be JSON in %s with a byte order mark', async (encoding) => {
    const path = await workspace.write('report.json', Buffer.from('\uFEFF{}', encoding));
    expect(await readReport(path)).toEqual({ kind: 'results', document: {} });
  });

  it('may be as large as the JSON part of an attestation, and no larger', async () => {
    const fill = (size: number): string => `["${'a'.repeat(size - 4)}"]`;
    const fits = await workspace.write('fits.json', fill(maximumDocumentBytes));
    expect((await readReport(fits)).kind).toBe('results');
    const large = await workspace.write('large.json', fill(maximumDocumentBytes + 1));
    const failure = await failureOf(readReport(large));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`${large} is too large for the Sonar report: it has `);
    expect(failure).toMatchObject({ problems: [{ input: 'sonar-report-path' }] });
  });

  it.each([
    ['broken JSON', '{"revision":', 'is not valid JSON'],
    ['JSON that is nested too deeply', '['.repeat(200_000) + ']'.repeat(200_000), 'nested too deeply'],
    ['not text', Buffer.from([0x7b, 0xff, 0x7d]), 'is not text in UTF-8'],
    ['an empty file', '', 'has no `ceTaskId`'],
  ])('that is %s is refused, naming the file', async (_what, content, words) => {
    const path = await workspace.write('report', content);
    const failure = await failureOf(readReport(path));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(path);
    expect(failure.message).toContain(words);
  });

  it('that cannot be read is refused with the reason', async () => {
    const failure = await failureOf(readReport(workspace.path));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`${workspace.path} cannot be read: `);
    expect(failure).toMatchObject({ problems: [{ input: 'sonar-report-path' }] });
  });
});
