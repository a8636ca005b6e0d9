import { beforeEach, describe, expect, it } from '@jest/globals';
import { shas } from '../../support/events.ts';
import { always, type PerformedOperation, performOperation } from '../../support/perform-operation.ts';
import { webhookPayload } from '../../support/sonar-analysis.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();
beforeEach(async () => {
  await workspace.write('junit.xml', '<testsuite name="a"><testcase name="b"><failure/></testcase></testsuite>');
  const report = { ...webhookPayload(), revision: shas.head, qualityGate: { status: 'ERROR', conditions: [] } };
  await workspace.write('sonar.json', JSON.stringify(report));
  await workspace.write('local.json', JSON.stringify({ ...report, project: { key: 'acme', name: 'Acme' } }));
});

const page = 'https://compliance.example.com/acme/flows/web/trails/pr-1';
const dashboard = 'https://mycompany.com/sonarqube/dashboard?id=myproject';

const steps: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['attest-generic', { compliant: 'false', 'attestation-name': 'scan' }, page],
  ['attest-junit', { 'junit-path': 'junit.xml' }, page],
  ['attest-sonar', { 'sonar-report-path': 'sonar.json', 'unverified-revision': 'warn' }, dashboard],
  ['attest-sonar', { 'sonar-report-path': 'local.json', 'unverified-revision': 'warn' }, page],
];

describe('a red attestation', () => {
  const attest = (
    operation: string,
    inputs: Readonly<Record<string, string>>,
    status = 201,
  ): Promise<PerformedOperation> =>
    performOperation(
      operation,
      { flow: 'web', trail: 'pr-1', retries: '0', ...inputs },
      always(status, 'OK'),
      workspace.path,
    );

  it.each(steps)('of %s with %j links to its trail, but not if it is kept', async (operation, inputs, htmlUrl) => {
    const { result: recorded } = await attest(operation, inputs);
    expect(recorded).toMatchObject({ outcome: 'non-compliant', htmlUrl });
    expect(recorded.report.facts).toContainEqual({ label: 'Trail', value: { text: 'pr-1', href: page } });
    const { result } = await attest(operation, { ...inputs, 'on-outage': 'keep', 'spool-path': 'spool' }, 503);
    expect(result.spoolPath).toBeDefined();
    expect(JSON.stringify(result.report)).not.toContain(page);
    expect(result.htmlUrl).not.toBe(page);
  });
});
