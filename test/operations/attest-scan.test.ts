import { describe, expect, it } from '@jest/globals';
import { snykAttestation } from '../../src/contract/attestations/snyk.ts';
import { listAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { shas } from '../support/events.ts';
import { failureOf } from '../support/failures.ts';
import {
  always,
  type PerformedOperation,
  performOperation,
  reportFacts,
  reportTables,
  sentAttestation,
} from '../support/perform-operation.ts';
import { readText } from '../support/repository.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

/** Runs the operation with a service that accepts everything. */
function attest(inputs: Readonly<Record<string, string>> = {}): Promise<PerformedOperation> {
  const given = { flow: 'web', 'sarif-path': '*.sarif', ...inputs };
  return performOperation('attest-scan', given, always(201, 'OK'), workspace.path);
}

function sample(name: string): string {
  return readText(`test/evidence/scan/samples/${name}.sarif.json`);
}

/** A file with so many results of this level. */
function sarif(count: number, level: string, message = 'x', tool = 'Scanner'): string {
  const results = Array.from({ length: count }, (_, index) => ({
    ruleId: `R${index}`,
    level,
    message: { text: message },
  }));
  return JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: tool, version: '1' } }, results }] });
}

describe('attest-scan', () => {
  it('records the findings of all files once, with the files, and judges by them', async () => {
    await workspace.write('trivy.sarif', sample('trivy'));
    await workspace.write('code/semgrep.sarif', sample('semgrep'));
    const done = await attest({ 'sarif-path': '*.sarif\n**/*.sarif\ntrivy.sarif' });
    const reasons =
      '1 critical finding; none of severity high or worse is allowed\n2 high findings; none of severity high or worse is allowed';
    expect(done.result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: `scan is NON-COMPLIANT:\n${reasons}\nRecorded as scan in flow web, for commit ${shas.head.slice(0, 12)}.`,
    });
    expect(sentAttestation(snykAttestation, done)).toMatchObject({
      snyk_results: {
        schema_version: 1,
        tool: { name: 'Trivy, Semgrep OSS', version: '0.67.2, 1.185.0' },
        results: [
          {
            high_count: 2,
            medium_count: 1,
            low_count: 0,
            high: [{ id: 'CVE-2026-0001' }, { id: 'DS-0002' }],
            medium: [{ id: 'CVE-2026-0002' }],
          },
          { high_count: 1, medium_count: 1, low_count: 0, high: [{ id: 'no-eval' }], medium: [{ id: 'shell-true' }] },
        ],
      },
      user_data: { severities: { critical: 1, high: 2, medium: 2, low: 0, suppressed: 1 }, rule: { fail_on: 'high' } },
    });
    expect(reportFacts(done.result)).toMatchObject({
      Findings: '1 critical, 2 high, 2 medium and 0 low findings; 1 suppressed',
      Scanner: 'Trivy, Semgrep OSS 0.67.2, 1.185.0',
      'Read from': '2 files with 2 runs',
      Attachment: expect.stringMatching(/^evidence\.tgz of 2 files, /u),
    });
    expect(reportTables(done.result)['Findings (5)']?.slice(0, 2)).toEqual([
      ['critical', 'CVE-2026-0001', expect.stringContaining('Package: libssl3 Installed'), 'acme/web:1'],
      ['high', 'DS-0002', 'Artifact: Dockerfile Type: dockerfile', 'Dockerfile:3-5'],
    ]);
  });

  it.each([
    ['none', 'compliant'],
    ['critical', 'compliant'],
    ['high', 'compliant'],
    ['medium', 'non-compliant'],
    ['low', 'non-compliant'],
  ])('fails on the severity that the step names, or a worse one: %s', async (failOn, outcome) => {
    await workspace.write('a.sarif', sarif(1, 'warning'));
    expect((await attest({ 'fail-on': failOn })).result.outcome).toBe(outcome);
  });

  it('counts all findings, and lists the worst that fit', async () => {
    await workspace.write('a.sarif', sarif(3000, 'warning', 'm'.repeat(5000)));
    await workspace.write('b.sarif', sarif(2, 'error', 'h', 'Other'));
    const done = await attest();
    const sent = sentAttestation(snykAttestation, done);
    const [first, second] = listAt(sent, 'snyk_results', 'results');
    expect(first).toMatchObject({ medium_count: 3000, high_count: 0 });
    expect(second).toMatchObject({ high_count: 2, high: [{ id: 'R0' }, { id: 'R1' }] });
    const listed = listAt(first, 'medium').length;
    expect(listed).toBeGreaterThan(100);
    expect(JSON.stringify(sent).length).toBeLessThan(1024 * 1024);
    expect(reportFacts(done.result)['Not listed']).toBe(
      `${3000 - listed} findings, counted; the attestation lists the worst`,
    );
    expect(valueAt(sent, 'user_data', 'severities')).toMatchObject({ high: 2, medium: 3000 });
  });

  it('warns if a scanner may not have scanned', async () => {
    await workspace.write('a.sarif', '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Scanner"}}}]}');
    const { result, log } = await attest();
    const remark = 'a.sarif: Scanner has no list of results, which may mean that it did not scan.';
    expect(log.warnings).toEqual([remark]);
    expect(result.outcome).toBe('compliant');
    expect(result.conclusion).toContain(remark);
  });

  it.each(['severities', 'rule'])('refuses the key `%s` in the data of the user', async (key) => {
    await workspace.write('a.sarif', sarif(0, 'note'));
    const failure = await failureOf(attest({ 'user-data': JSON.stringify({ [key]: 1 }) }));
    expect(failure.message).toContain(`has the key ${key}`);
  });

  it('sends nothing if a file is of another kind, and names what it is', async () => {
    await workspace.write('a.sarif', '<testsuite/>');
    const failure = await failureOf(attest());
    expect(failure.message).toBe('a.sarif is JUnit XML, not SARIF');
    await workspace.write('a.sarif', '{"bomFormat":"CycloneDX"}');
    expect((await failureOf(attest())).message).toBe('a.sarif is CycloneDX, not SARIF');
  });
});
