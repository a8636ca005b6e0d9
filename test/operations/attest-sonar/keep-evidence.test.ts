import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TransportError } from '../../../src/http/transport.ts';
import { errorMessage } from '../../../src/runtime/failure.ts';
import { decideResult } from '../../../src/step/run/gate.ts';
import { startOfTime } from '../../support/clock.ts';
import { shas } from '../../support/events.ts';
import { failureOf } from '../../support/failures.ts';
import {
  answersInTurn,
  type PerformedOperation,
  performOperation,
  type ScriptedAnswer,
  type StepChanges,
} from '../../support/perform-operation.ts';
import { webhookPayload } from '../../support/sonar-analysis.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

beforeEach(async () => {
  await writeReport('OK');
});

function writeReport(status: string): Promise<string> {
  const report = { ...webhookPayload(), revision: shas.head, qualityGate: { status, conditions: [] } };
  return workspace.write('sonar.json', JSON.stringify(report));
}

const lost = new TransportError('interrupted', true, 'read ECONNRESET');

/** Runs attest-sonar with `on-outage: keep` against this service. */
function attest(
  answer: ScriptedAnswer | TransportError | (() => never),
  { operation = 'attest-sonar', ...inputs }: Readonly<Record<string, string>> = {},
  changes: StepChanges = {},
): Promise<PerformedOperation> {
  const given = {
    ...{ flow: 'web', 'sonar-report-path': 'sonar.json', 'unverified-revision': 'warn', retries: '0' },
    ...{ 'on-outage': 'keep', 'spool-path': 'spool', ...inputs },
  };
  const service = typeof answer === 'function' ? answer : answersInTurn(answer);
  return performOperation(operation, given, service, workspace.path, changes);
}

const spool = (): string => join(workspace.path, 'spool');

describe('attest-sonar with `on-outage: keep`', () => {
  it.each<readonly [string, ScriptedAnswer | TransportError]>([
    ['the connection is lost', lost],
    ['the service cannot be reached', new TransportError('unreachable', false, 'connect ECONNREFUSED')],
    ['the answer is not HTTP', new TransportError('malformed', true, 'malformed')],
    [
      'the answer is a page',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Maintenance</html>' },
    ],
    ...[302, 408, 409, 425, 429, 500, 501, 502, 503, 504].map(
      (status) => [`the answer is ${status}`, { status, body: { message: 'later' } }] as const,
    ),
  ])('keeps the evidence if %s', async (_when, answer) => {
    const { result } = await attest(answer);
    expect(result).toMatchObject({ outcome: 'kept', spoolPath: spool() });
    expect(await readdir(spool())).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 410, 413, 422])('does not keep it if the service refuses it with %d', async (status) => {
    const failure = await failureOf(attest({ status, body: { message: 'no' } }));
    expect(failure.message).toContain(`returned ${status}`);
    expect(await readdir(workspace.path)).not.toContain('spool');
  });

  it('writes the request without organization and secrets, with its run and its time', async () => {
    await workspace.write('lcov.info', 'TN:');
    await attest(lost, { files: 'lcov.info' });
    const [name = ''] = await readdir(spool());
    const manifest: unknown = JSON.parse(await readFile(join(spool(), name, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      version: 1,
      operation: 'attest-sonar',
      parameters: { flow_name: 'web', trail_name: shas.head },
      document: { attestation_name: 'sonar', user_data: { gathered_at: new Date(startOfTime).toISOString() } },
      idempotency_key: expect.stringMatching(/^(?:\d+-)?[\w-]{43}$/u),
      gathered_at: new Date(startOfTime).toISOString(),
      run: { repository: 'acme/widgets', run_id: '4242', run_attempt: '2', event_name: 'push', head_sha: shas.head },
      file: { name: 'lcov.info', size: 3 },
    });
    expect(JSON.stringify(manifest)).not.toMatch(/the-api-key-of-acme|compliance\.example\.com|"org"/u);
  });

  it.each([
    ['ERROR', 'non-compliant', 'fail', true],
    ['ERROR', 'non-compliant', 'ignore', false],
    ['NONE', 'incomplete', 'fail', true],
  ] as const)(
    'ends as a gate that is known to be %s says: %s, with on-non-compliant: %s',
    async (status, outcome, gate, fails) => {
      await writeReport(status);
      const { result } = await attest(lost);
      const decision = decideResult(result, gate);
      expect(decision).toMatchObject({ outcome, fails, annotation: { level: fails ? 'error' : 'warning' } });
      expect(decision.conclusion).toContain('kept in');
      expect(await readdir(spool())).toHaveLength(1);
    },
  );

  it('is not written if it contains a secret, which would not have been sent either', async () => {
    const failure = await failureOf(
      attest(lost, { 'user-data': '{"note": "the-api-key-of-acme"}' }, { secretForms: ['the-api-key-of-acme'] }),
    );
    expect(failure.message).toBe(
      'the evidence contains a secret of this step, such as `api-token` or `github-token`, so nothing was sent',
    );
    await expect(readdir(spool())).rejects.toThrow('ENOENT');
  });

  it('fails if a replay could not check the commit', async () => {
    const failure = await failureOf(attest(lost, {}, { job: { sha: 'b'.repeat(40) } }));
    expect(failure.message).toContain('so a replay could not check it');
  });

  it('fails if the spool cannot be written', async () => {
    await workspace.write('spool', 'a file');
    const failure = await failureOf(attest(lost));
    expect(failure.message).toMatch(/ECONNRESET[\s\S]*could not be kept either: .*(EEXIST|ENOTDIR)/u);
    expect(failure.message).toContain('Remove that file, or set `spool-path` to another path.');
  });

  it('names the folder of the runner if the spool is there', async () => {
    await workspace.write('spool', 'a file');
    const failure = await failureOf(attest(lost, { 'spool-path': '' }, { temporaryDirectory: workspace.path }));
    expect(failure.message).toContain(
      'it could not be written to the path in RUNNER_TEMP: a part of the path is a file',
    );
  });

  it('does not blame the disk for a defect', async () => {
    let isSent = false;
    const service = (): never => {
      isSent = true;
      throw lost;
    };
    const random = (): number => {
      if (isSent) throw new TypeError('nothing is random');
      return 0;
    };
    const failure = await failureOf(attest(service, {}, { random }));
    expect(failure.message).toContain(
      'could not be kept either: a defect in compliance-action: nothing is random. Report',
    );
    expect(failure.message).not.toContain('spool-path');
  });

  it.each(['fail', 'warn', 'ignore'] as const)(
    'keeps a red verdict beside the failure to keep, which fails the step with on-non-compliant: %s',
    async (gate) => {
      await writeReport('ERROR');
      await workspace.write('spool', 'a file');
      const { result } = await attest(lost);
      expect(result).toMatchObject({ outcome: 'non-compliant', state: 'ERROR' });
      expect(result.lost?.message).toContain('could not be kept either');
      expect(result.spoolPath).toBeUndefined();
      const { conclusion, fails } = decideResult(result, gate);
      expect(fails).toBe(true);
      expect(conclusion).toContain('is ERROR');
      expect(conclusion).toContain('it could not be kept either');
    },
  );

  it('keeps nothing when the job is cancelled', async () => {
    const cancelled = new AbortController();
    cancelled.abort(new Error('the job was cancelled'));
    await expect(attest(lost, {}, { signal: cancelled.signal })).rejects.toThrow('the job was cancelled');
    expect(await readdir(workspace.path)).not.toContain('spool');
  });

  it('keeps nothing with `on-outage: fail`', async () => {
    const failure = await failureOf(attest(lost, { 'on-outage': 'fail' }));
    expect(failure.message).toContain('ECONNRESET');
    expect(await readdir(workspace.path)).not.toContain('spool');
  });
});

describe('`on-outage: keep` with another operation', () => {
  it.each(['get-artifact', 'list-attestations', 'create-flow', 'replay'])('is an error with %s', async (operation) => {
    const thrown: unknown = await attest(lost, { operation, 'spool-path': '' }).catch((error: unknown) => error);
    expect(errorMessage(thrown)).toContain(`\`on-outage: keep\` is not possible with ${operation}`);
  });
});
