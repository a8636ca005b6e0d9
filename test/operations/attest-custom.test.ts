import { describe, expect, it } from '@jest/globals';
import { customAttestation } from '../../src/contract/attestations/custom.ts';
import { failureOf } from '../support/failures.ts';
import {
  type PerformedOperation,
  performOperation,
  type ScriptedAnswer,
  sentAttestation,
} from '../support/perform-operation.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

const noRecord: ScriptedAnswer = { status: 404, body: { message: 'Not found' } };

/** Runs the operation with a service that answers this when it is asked for the record with the key. */
function attest(
  inputs: Readonly<Record<string, string>> = {},
  read: (key: string) => ScriptedAnswer = () => noRecord,
): Promise<PerformedOperation> {
  let key = '';
  const own = { 'attestation-name': 'coverage', 'attestation-type': 'coverage', 'data-path': 'data.json' };
  return performOperation(
    'attest-custom',
    { flow: 'web', ...own, ...inputs },
    ({ method, headers }) => {
      if (method === 'GET') return read(key);
      key = headers['idempotency-key']?.replaceAll('"', '') ?? '';
      return { status: 201, body: 'OK' };
    },
    workspace.path,
  );
}

const recordOf = (key: string, more: object): ScriptedAnswer => ({
  status: 200,
  body: [{ attestation_id: '1', attestation_name: 'coverage', user_data: { idempotency_key: key }, ...more }],
});

describe('attest-custom', () => {
  it('sends the data as it is written, with the name of the type', async () => {
    await workspace.write('data.json', '\uFEFF{"lines": 12345678901234567890, "ratio": 1.0}\n');
    const done = await attest({ 'attestation-type': 'custom:coverage' });
    sentAttestation(customAttestation, done);
    expect(done.requests[0]?.body).toContain(
      '"type_name":"coverage","attestation_data":{"lines":12345678901234567890,"ratio":1.0}',
    );
  });

  it('reads UTF-16, as PowerShell writes it', async () => {
    await workspace.write('data.json', Buffer.from('\uFEFF{"lines": 1}', 'utf16le'));
    expect((await attest()).requests[0]?.body).toContain('"attestation_data":{"lines":1}');
  });

  it('goes by the verdict on record', async () => {
    await workspace.write('data.json', '[1]');
    const words = 'it satisfies version 2 of custom:coverage';
    const green = await attest({}, (key) => recordOf(key, { is_compliant: true, status_info: words, reasons: [] }));
    expect(green.result.outcome).toBe('compliant');
    expect(green.result.conclusion).toContain(`coverage is compliant: ${words}`);
    const reason = { state: 'failed', about: 'coverage', value: 'the rule .lines >= 80 gives false' };
    const red = await attest({}, (key) => recordOf(key, { is_compliant: false, reasons: [reason] }));
    expect(red.result.outcome).toBe('non-compliant');
    expect(red.result.conclusion).toContain(reason.value);
    expect(red.log.warnings).toEqual([]);
  });

  it.each([
    ['<testsuite name="unit"/>', /^data\.json is JUnit XML, not JSON/u],
    ['{"a": 1', /^data\.json is not JSON: .*position 7/u],
    ['', /^data\.json is not JSON/u],
    ['{"a": 1, "a": 2}', /^data\.json contains the key "a" twice/u],
    ['['.repeat(1_000_000), /^data\.json nests values more than 100 deep/u],
    [JSON.stringify('x'.repeat(1024 * 1024)), /^data\.json has .* of JSON, and the service takes/u],
  ])('refuses %.20s before anything is sent', async (content, message) => {
    await workspace.write('data.json', content);
    expect((await failureOf(attest())).message).toMatch(message);
  });

  it('refuses several files', async () => {
    await workspace.write('a.json', '{}');
    await workspace.write('b.json', '{}');
    const failure = await failureOf(attest({ 'data-path': '*.json' }));
    expect(failure.message).toBe('`data-path` must name one file, but matches 2');
  });
});
