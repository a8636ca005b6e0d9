import { describe, expect, it } from '@jest/globals';
import { type Transport, TransportError } from '../../../src/http/transport.ts';
import { runOperation } from '../../../src/step/run/run-operation.ts';
import { jsonAnswer, silentTransport } from '../../support/answering-transport.ts';
import { fingerprintOf } from '../../support/artifacts.ts';
import { instantClock, startOfTime } from '../../support/clock.ts';
import { shas } from '../../support/events.ts';
import {
  type PerformedOperation,
  performOperation,
  reportFacts,
  type ScriptedAnswer,
} from '../../support/perform-operation.ts';
import { openTestStep } from '../../support/test-step.ts';

const fingerprint = fingerprintOf('a');
const url = 'https://compliance.example.com/acme/flows/web/attestations/1';

/** The answer to reading the record that has this key. */
type Read = (key: string) => ScriptedAnswer;

/** Records evidence with a service that keeps no records, and answers this when it is asked for one. */
async function attest(read: Read, inputs: Readonly<Record<string, string>> = {}): Promise<PerformedOperation> {
  let key = '';
  return performOperation(
    'attest-generic',
    { flow: 'web', 'attestation-name': 'web.scan', compliant: 'true', ...inputs },
    ({ method, headers }) => {
      if (method === 'GET') return read(key);
      key = headers['idempotency-key']?.replaceAll('"', '') ?? '';
      return { status: 201, body: 'OK' };
    },
  );
}

const recordOf = (key: string): Readonly<Record<string, unknown>> => ({
  attestation_id: '1',
  attestation_name: 'scan',
  attestation_type: 'generic',
  html_url: url,
  is_compliant: true,
  user_data: { idempotency_key: key },
});

describe('an operation that records evidence', () => {
  it('fails if the record is not compliant, with the reasons on record, and says that the two differ', async () => {
    const reason = { state: 'failed', about: 'scan', value: 'licence GPL', limit: 'MIT is required', html_url: url };
    const { result, log } = await attest((key) => ({
      status: 200,
      body: [{ ...recordOf(key), is_compliant: false, reasons: [reason] }],
    }));
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: `web.scan is NON-COMPLIANT: scan: licence GPL; MIT is required. The record says non-compliant. Recorded as web.scan in flow web, for commit ${shas.head.slice(0, 12)}.`,
    });
    expect(result.report.reasons).toEqual([reason]);
    expect(result.report.evidence).toEqual({
      notes: [expect.stringContaining('The record says non-compliant. This step finds it compliant')],
    });
    expect(log.warnings).toEqual([
      'attest-generic: The record says non-compliant. This step finds it compliant and goes by the worse of the two; later steps that read the record do not.',
    ]);
  });

  it('stays red if the record is compliant', async () => {
    const inputs = { compliant: 'false', description: '2 high vulnerabilities' };
    const { result, log } = await attest((key) => ({ status: 200, body: [recordOf(key)] }), inputs);
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: expect.stringMatching(
        /^web\.scan is NON-COMPLIANT: reported as not compliant: 2 high vulnerabilities\. The record says compliant\. /u,
      ),
    });
    expect(reportFacts(result)).toMatchObject({ Description: '2 high vulnerabilities' });
    expect(log.warnings).toHaveLength(1);
  });

  it('warns if the template requires another type', async () => {
    const { result, log } = await attest((key) => ({
      status: 200,
      body: [{ ...recordOf(key), required_type: 'junit' }],
    }));
    const words = 'web.scan is recorded as generic; junit is required by the template.';
    expect(log.warnings).toEqual([
      `attest-generic: ${words} Record it with \`attest-junit\`, or require the type generic for it in the template.`,
    ]);
    expect(result).toMatchObject({ outcome: 'compliant', conclusion: expect.stringContaining(words) });
    expect(result.report.evidence?.notes).toEqual([
      'web.scan: it was reported as compliant.',
      expect.stringContaining(words),
    ]);
  });

  const unreadable: readonly (readonly [string, Read, string])[] = [
    [
      'a service without the endpoint',
      () => ({ status: 404, body: { message: 'Not Found' } }),
      'returned 404: Not Found',
    ],
    ['an outage', () => ({ status: 503, body: {} }), 'returned 503'],
    ['another form', () => ({ status: 200, body: { data: [] } }), 'does not have the expected form'],
    ['no record', () => ({ status: 200, body: [] }), 'the service does not show it'],
    ['another record', () => ({ status: 200, body: [recordOf('another')] }), 'the service does not show it'],
    [
      'a record without its data',
      (key) => ({ status: 200, body: [{ ...recordOf(key), user_data: null, is_compliant: false }] }),
      'the service does not show it',
    ],
    [
      'a connection that breaks',
      () => {
        throw new TransportError('interrupted', true, 'the connection was closed');
      },
      'the connection was closed',
    ],
  ];

  it.each(unreadable)('keeps its own verdict, and claims nothing: %s', async (_what, read, why) => {
    const { result, requests, log } = await attest(read, { retries: '10' });
    expect(result).toMatchObject({ outcome: 'compliant', attestationUrl: undefined });
    expect(result.conclusion).toContain('Recorded as web.scan');
    expect(requests).toHaveLength(2);
    expect(log.infos.filter((line) => line.startsWith('The record could not be read back'))).toEqual([
      expect.stringContaining(why),
    ]);
    expect(log.warnings).toEqual([]);
  });

  it('is looked for among those of its artifact, because a trail has as many of one name as it has artifacts', async () => {
    const { result, requests } = await attest((key) => ({ status: 200, body: [recordOf(key)] }), { fingerprint });
    expect(requests.at(-1)?.path).toBe(`/attestations/acme/web/artifact/${fingerprint}/web.scan`);
    expect(result.attestationUrl).toBe(url);
  });

  it('waits ten seconds at most for a service that no longer answers', async () => {
    const silent = silentTransport();
    const transport: Transport = {
      ...silent,
      send: (request, signal) =>
        request.method === 'GET' ? silent.send(request, signal) : Promise.resolve(jsonAnswer(201, 'OK')),
    };
    const inputs = {
      ...{ 'base-url': 'https://compliance.example.com', 'api-token': 'the-api-key-of-acme', org: 'acme', flow: 'web' },
      ...{ operation: 'attest-generic', 'attestation-name': 'scan', compliant: 'true', 'retry-for': '1h' },
    };
    const clock = instantClock();
    const { context, log } = openTestStep({ inputs, transport });
    const { result } = await runOperation({ ...context, clock });
    expect(result).toMatchObject({ outcome: 'compliant', attestationUrl: undefined });
    expect(log.infos).toContainEqual(expect.stringContaining('no complete answer within 10 s'));
    expect(clock.now()).toBe(startOfTime + 10_000);
  });

  it('does not hide a defect while it reads', async () => {
    const broken = attest(() => {
      throw new TypeError('a defect');
    });
    await expect(broken).rejects.toThrow(TypeError);
  });

  it('reads nothing in a dry run, and nothing of evidence that was kept', async () => {
    const never = (): ScriptedAnswer => {
      throw new Error('nothing may be read');
    };
    expect((await attest(never, { 'dry-run': 'true' })).requests).toEqual([]);
    const down = await performOperation(
      'attest-generic',
      { flow: 'web', 'attestation-name': 'scan', compliant: 'false', 'on-outage': 'keep', retries: '0' },
      () => ({ status: 503, body: {} }),
    );
    expect(down.result).toMatchObject({ outcome: 'non-compliant', attestationUrl: undefined });
    expect(down.result.conclusion).toMatch(
      /^scan is NON-COMPLIANT: reported as not compliant\. The service did not confirm the evidence/u,
    );
    expect(down.requests.map(({ path }) => path)).not.toContain(`/attestations/acme/web/trail/${shas.head}/scan`);
  });
});
