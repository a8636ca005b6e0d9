import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { shas } from '../support/events.ts';
import { failureOf } from '../support/failures.ts';
import {
  always,
  type PerformedOperation,
  performOperation,
  reportFacts,
  reportTables,
} from '../support/perform-operation.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

const failing = `<testsuite name="api" time="1.5"><testcase classname="Cart" name="adds"/>
  <testcase classname="Cart" name="empties"><failure message="expected 0"/></testcase></testsuite>`;

/** Runs the operation with a service that accepts everything. */
function attest(inputs: Readonly<Record<string, string>> = {}): Promise<PerformedOperation> {
  const given = { flow: 'web', 'junit-path': '*.xml', ...inputs };
  return performOperation('attest-junit', given, always(201, 'OK'), workspace.path);
}

describe('attest-junit', () => {
  it('records the results of all files with the files, and judges by them', async () => {
    await workspace.write('reports/a.xml', failing);
    await workspace.write('reports/b.xml', '<testsuites><testsuite name="ui"><testcase/></testsuite></testsuites>');
    await workspace.write('coverage.txt', '80 %');
    const { result, requests } = await attest({ 'junit-path': 'reports/*.xml', files: 'coverage.txt\nreports/a.xml' });
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: `junit is NON-COMPLIANT: 1 of 3 tests failed (api); none may fail. Recorded as junit in flow web, for commit ${shas.head.slice(0, 12)}.`,
    });
    expect(reportFacts(result)).toMatchObject({
      Tests: '2 of 3 tests passed, 1 failed',
      'Read from': '2 files with 2 suites',
      Attachment: expect.stringMatching(/^evidence\.tgz of 3 files, /u),
    });
    expect(reportTables(result)).toMatchObject({
      'Failed tests (1)': [['Cart.empties', '❌ failed', 'expected 0']],
      'Suites (2)': [
        ['api', '2', '1', '0', '0', '1.500 s'],
        ['ui', '1', '0', '0', '0', '0.000 s'],
      ],
    });
    expect(requests[0]?.body).toMatch(/"junit_results":\[\{"name":"api","failures":1,.*\{"name":"ui","failures":0,/u);
  });

  it('is incomplete if there are no tests', async () => {
    await workspace.write('a.xml', '<testsuite name="a"/>');
    const { result } = await attest();
    expect(result).toMatchObject({ outcome: 'incomplete', conclusion: expect.stringContaining('there are no tests') });
  });

  it('sends nothing if a file is broken, and names the file and the line', async () => {
    await workspace.write('a.xml', '<testsuite name="a"/>');
    await workspace.write('b.xml', '<testsuite>\n<testcase');
    const failure = await failureOf(attest());
    expect(failure.message).toBe('b.xml, line 2: it is not well-formed XML (Unclosed root tag)');
  });

  it('names its own input if no file matches', async () => {
    const failure = await failureOf(attest({ 'junit-path': 'reports/**' }));
    expect(failure).toMatchObject({
      problems: [{ input: 'junit-path', what: expect.stringContaining('No file matches') }],
    });
  });

  it('packs a single large file, and records digests if the files are still too large', async () => {
    const noise = randomBytes(11_600_000).toString('base64');
    await workspace.write('a.xml', `<testsuite name="a"><testcase/><system-out>${noise}</system-out></testsuite>`);
    const { result, requests, log } = await attest();
    expect(result.outcome).toBe('compliant');
    expect(requests[0]?.body).not.toContain('attachment_file');
    expect(requests[0]?.body).toMatch(
      /"unattached_files":\{"count":1,"size":\d+,"sha256":"[0-9a-f]{64}","files":\[\{"name":"a.xml","size":\d+,"sha256":"[0-9a-f]{64}"\}\]\}/u,
    );
    expect(reportFacts(result)['Not attached']).toMatch(/^1 file of 14\.8 MiB /u);
    expect(log.warnings.join('\n')).toContain('they are not attached, and `user_data` has their digests instead');
    await workspace.write(
      'a.xml',
      `<testsuite name="a"><testcase/><system-out>${' '.repeat(11_000_000)}</system-out></testsuite>`,
    );
    const packed = await attest();
    expect(packed.requests[0]?.body).toContain('filename="evidence.tgz"');
  });
});
