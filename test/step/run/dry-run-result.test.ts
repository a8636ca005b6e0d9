import { describe, expect, it } from '@jest/globals';
import { runOperation } from '../../../src/step/run/run-operation.ts';
import { silentTransport } from '../../support/answering-transport.ts';
import {
  type PerformedOperation,
  performOperation,
  reportFacts,
  reportTables,
} from '../../support/perform-operation.ts';
import { aPod, podList } from '../../support/pods.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';
import { connection, openTestStep } from '../../support/test-step.ts';
import { userErrorOf } from '../../support/user-error.ts';

const workspace = workspaceForEachTest();

function dryRun(operation: string, inputs: Readonly<Record<string, string>>): Promise<PerformedOperation> {
  const nothing = (): never => {
    throw new Error('something was sent');
  };
  return performOperation(operation, { 'dry-run': 'true', ...inputs }, nothing, workspace.path);
}

const flow = { flow: 'web', description: 'The shop', template: 'artifact\nsonar' };

describe('a dry run', () => {
  it('shows the request without the key, sends nothing and opens no gate', async () => {
    const { result, requests } = await dryRun('create-flow', flow);
    expect(requests).toEqual([]);
    const url = 'https://compliance.example.com/api/v2/flows/acme';
    const document = { name: 'web', description: 'The shop', template: ['artifact', 'sonar'] };
    expect(result).toMatchObject({
      outcome: 'skipped',
      conclusion: `Dry run: nothing was recorded or judged. create-flow prepared PUT ${url} but did not send it.`,
      response: { request: { operation: 'create-flow', method: 'PUT', url, json: { document } } },
    });
    expect(reportFacts(result)).toEqual({ Request: `PUT ${url}` });
    const { Headers: headers, 'JSON body': fields } = reportTables(result);
    expect(headers).toEqual(
      expect.arrayContaining([
        ['authorization', 'Bearer ***'],
        ['content-type', 'application/json; charset=utf-8'],
        ['content-length', String(Buffer.byteLength(JSON.stringify(document)))],
      ]),
    );
    expect(fields).toEqual([
      ['name', '"web"'],
      ['description', '"The shop"'],
      ['template', '["artifact","sonar"]'],
    ]);
    expect(JSON.stringify(result)).not.toContain('the-api-key-of-acme');
  });

  const origins = {
    step: { inputs: { 'dry-run': 'true' }, variables: {}, words: /^Dry run: nothing was recorded or judged\./u },
    variable: {
      inputs: {},
      variables: { COMPLIANCE_DRY_RUN: 'true' },
      words: /^Dry run \(COMPLIANCE_DRY_RUN\): nothing was recorded or judged\./u,
    },
  };
  const fingerprint = 'a'.repeat(64);
  const attest = { operation: 'attest-generic', 'attestation-name': 'scan', compliant: 'true' };
  const report = { operation: 'attest-artifact', filename: 'web.tgz', fingerprint };
  const lookUp = { operation: 'get-artifact', fingerprint };

  it.each([
    ['step', '', 'warn', attest],
    ['variable', '', 'fail', attest],
    ...(['step', 'variable'] as const).flatMap(
      (origin) =>
        [
          [origin, 'fail', 'fail', attest],
          [origin, 'warn', 'warn', attest],
          // Evidence that is not on record must be noticed.
          [origin, 'ignore', 'warn', attest],
          [origin, 'ignore', 'warn', report],
          [origin, '', 'warn', report],
          [origin, '', 'warn', { operation: 'begin-trail' }],
          [origin, '', 'fail', lookUp],
          [origin, 'ignore', 'ignore', lookUp],
        ] as const,
    ),
  ] as const)('that the %s asks for, with on-non-compliant: %j, does this: %s (%j)', async (name, given, gate, own) => {
    const { inputs: asking, variables, words } = origins[name];
    const inputs = { ...connection, flow: 'web', ...own, ...asking, 'on-non-compliant': given };
    const { context } = openTestStep({ inputs, variables, transport: silentTransport() });
    const { result, onNonCompliant } = await runOperation(context);
    expect({ outcome: result.outcome, onNonCompliant }).toEqual({ outcome: 'skipped', onNonCompliant: gate });
    expect(result.conclusion).toMatch(words);
  });

  it('shows the parts of an upload: the JSON, and the name and size of the file', async () => {
    await workspace.write('policy.yml', '_schema: https://example.com/v1\n');
    const { result } = await dryRun('create-policy', { policy: 'p', files: 'policy.yml', 'file-parts': 'plain' });
    expect(reportFacts(result)['File']).toBe('policy.yml, 32 bytes, in the part policy_file');
    expect(reportTables(result)['JSON of the part payload']).toEqual([
      ['name', '"p"'],
      ['type', '"env"'],
    ]);
    expect(result.response).toMatchObject({
      request: { json: { part: 'payload' }, file: { part: 'policy_file', filename: 'policy.yml', size: 32 } },
    });
  });

  it('cuts long values in the report, but not in the response', async () => {
    await workspace.write(
      'pods.json',
      JSON.stringify(podList(...Array.from({ length: 50 }, (_, at) => aPod(`p${at}`)))),
    );
    const { result } = await dryRun('report-k8s', { environment: 'prod', files: 'pods.json' });
    const [field, value] = reportTables(result)['JSON body']?.[0] ?? [];
    expect(field).toBe('artifacts');
    expect(value).toMatch(/^.{1000}… \(\d+ characters\)$/u);
    expect(result.response).toMatchObject({ request: { json: { document: { artifacts: { length: 50 } } } } });
  });

  it('shows a request without a body', async () => {
    const { result } = await dryRun('list-attestations', { flow: 'web', page: 'all', 'auth-method': 'basic' });
    expect(Object.keys(reportTables(result))).toEqual(['Headers']);
    expect(reportTables(result)['Headers']).toContainEqual(['authorization', 'Basic ***']);
    expect(reportFacts(result)['Request']).toContain('/attestations/acme/web?page=1&per_page=100');
  });

  it('still validates the inputs', async () => {
    expect((await userErrorOf(() => dryRun('create-flow', { template: 'artifact' }))).problems).toHaveLength(2);
    await workspace.write('policy.yml', '- no policy\n');
    const mistake = await userErrorOf(() => dryRun('create-policy', { policy: 'p', files: 'policy.yml' }));
    expect(mistake.message).toContain('not a mapping');
  });

  it('happens only if `dry-run` is true', async () => {
    const answer = { status: 201, body: 'OK' };
    const { requests } = await performOperation('create-flow', { ...flow, 'dry-run': 'false' }, () => answer);
    expect(requests).toHaveLength(1);
  });
});
