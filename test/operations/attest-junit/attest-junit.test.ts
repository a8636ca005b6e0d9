import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Transport } from '../../../src/http/transport.ts';
import { createTransport } from '../../../src/http/undici-transport.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { runOperation, type OperationRun } from '../../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer } from '../../support/answering-transport.ts';
import { collectBody } from '../../support/collect-bytes.ts';
import { shas } from '../../support/events.ts';
import { failureOf } from '../../support/failures.ts';
import type { CollectingLog } from '../../support/log.ts';
import { reportFacts, reportTables } from '../../support/perform-operation.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';
import { saveFlow } from '../../support/service-samples.ts';
import { openTestStep } from '../../support/test-step.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';

let workspace: TemporaryWorkspace;
beforeEach(async () => {
  workspace = await temporaryWorkspace();
});
afterEach(() => workspace.remove());

const failing = `<testsuite name="api" time="1.5"><testcase classname="Cart" name="adds"/>
  <testcase classname="Cart" name="empties"><failure message="expected 0"/></testcase></testsuite>`;

/** Runs a step in the workspace on a push. */
async function runWith(
  transport: Transport,
  inputs: Readonly<Record<string, string>>,
): Promise<OperationRun & { readonly log: CollectingLog }> {
  const { context, log } = openTestStep({
    inputs: { operation: 'attest-junit', flow: 'web', ...inputs },
    transport,
    directory: workspace.path,
  });
  return { ...(await runOperation({ ...context, clock: systemClock })), log };
}

/** Runs a step with a service that accepts everything; the bodies of its requests. */
async function attest(
  inputs: Readonly<Record<string, string>> = {},
): Promise<OperationRun & { readonly log: CollectingLog; readonly bodies: readonly string[] }> {
  const bodies: string[] = [];
  const transport = answeringTransport(async ({ body }) => {
    bodies.push((await collectBody(body?.open() ?? '')).toString('latin1'));
    return jsonAnswer(201, 'OK');
  });
  const connection = { 'base-url': 'https://compliance.example.com', 'api-token': 'the-api-key-of-acme', org: 'acme' };
  return { ...(await runWith(transport, { ...connection, 'junit-path': '*.xml', ...inputs })), bodies };
}

describe('attest-junit with a service', () => {
  let service: TestService;
  const transport = createTransport({});
  beforeAll(async () => {
    service = await startTestService();
    await saveFlow(service, { name: 'web' });
  });
  afterAll(async () => {
    await transport.close();
    await service.stop();
  });

  it('records the results of all files with the files, and ends with the verdict of the service', async () => {
    await workspace.write('reports/a.xml', failing);
    await workspace.write('reports/b.xml', '<testsuites><testsuite name="ui"><testcase/></testsuite></testsuites>');
    await workspace.write('coverage.txt', '80 %');
    const { result } = await runWith(transport, {
      'base-url': service.baseUrl,
      'api-token': service.apiKey,
      org: service.org,
      'junit-path': 'reports/*.xml',
      files: 'coverage.txt\nreports/a.xml',
    });
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: `junit is NON-COMPLIANT: 1 of 3 tests failed (api); none may fail. Recorded as junit in flow web, for commit ${shas.head.slice(0, 12)}.`,
    });
    expect(reportFacts(result)).toMatchObject({
      Tests: '3: 1 failed, 0 with errors, 0 skipped',
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
    const { body } = await call(service, { path: `/attestations/${service.org}/web` });
    expect(body).toMatchObject({
      data: [{ attestation_name: 'junit', attestation_type: 'junit', is_compliant: false }],
    });
  });
});

describe('attest-junit', () => {
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
    const { result, bodies, log } = await attest();
    expect(result.outcome).toBe('compliant');
    expect(bodies[0]).not.toContain('attachment_file');
    expect(bodies[0]).toMatch(
      /"unattached_files":\{"count":1,"size":\d+,"sha256":"[0-9a-f]{64}","files":\[\{"name":"a.xml","size":\d+,"sha256":"[0-9a-f]{64}"\}\]\}/u,
    );
    expect(reportFacts(result)['Not attached']).toMatch(/^1 file of 14\.8 MiB /u);
    expect(log.warnings.join('\n')).toContain('they are not attached, and `user_data` has their digests instead');
    await workspace.write(
      'a.xml',
      `<testsuite name="a"><testcase/><system-out>${' '.repeat(11_000_000)}</system-out></testsuite>`,
    );
    const packed = await attest();
    expect(packed.bodies[0]).toContain('filename="evidence.tgz"');
  });
});
