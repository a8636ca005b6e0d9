import { describe, expect, it } from '@jest/globals';
import type { FoundAttestation } from '../../../src/contract/attestation-lookup.ts';
import type { AttestationJudgement } from '../../../src/contract/attestations/attestation-kind.ts';
import { describeReason, type Reason } from '../../../src/contract/reason.ts';
import { assessAttestation } from '../../../src/operations/attest/assess-attestation.ts';

const passed: AttestationJudgement = { verdict: 'compliant', reason: 'all is well', faults: [] };
const failed: AttestationJudgement = {
  verdict: 'non-compliant',
  reason: 'it is red',
  faults: [{ value: 'it is red' }],
};
const unclear: AttestationJudgement = {
  verdict: 'incomplete',
  reason: 'it proves nothing',
  faults: [{ value: 'it proves nothing' }],
};

const url = 'https://compliance.example.com/acme/flows/web/attestations/1';
const record = (more: Partial<FoundAttestation>): FoundAttestation => ({
  attestation_id: '1',
  html_url: url,
  ...more,
});
const reason = (state: Reason['state'], value: string): Reason => ({ state, about: 'unit', value, html_url: url });

const facts = { name: 'unit', type: 'junit', description: 'Nightly' };

describe('assessAttestation', () => {
  const cases: readonly (readonly [string, AttestationJudgement, FoundAttestation | undefined, unknown])[] = [
    ['an unknown record', passed, undefined, ['compliant', [], []]],
    ['an unknown record', failed, undefined, ['non-compliant', ['unit: it is red: Nightly'], []]],
    ['a record without a verdict', failed, record({}), ['non-compliant', ['unit: it is red: Nightly'], []]],
    ['a record without a verdict', passed, record({ is_compliant: null }), ['compliant', [], []]],
    ['the same verdict', passed, record({ is_compliant: true, reasons: [] }), ['compliant', [], []]],
    [
      'the same verdict, unexplained',
      failed,
      record({ is_compliant: false }),
      ['non-compliant', ['unit: it is red: Nightly'], []],
    ],
    [
      'the same verdict, explained',
      failed,
      record({ is_compliant: false, reasons: [reason('failed', 'the service says why')] }),
      ['non-compliant', ['unit: the service says why'], []],
    ],
    [
      'the same verdict, unexplained',
      unclear,
      record({ is_compliant: false }),
      ['incomplete', ['unit: it proves nothing: Nightly'], []],
    ],
    [
      'a better verdict',
      failed,
      record({ is_compliant: true, reasons: [] }),
      ['non-compliant', ['unit: it is red: Nightly'], ['The record says compliant']],
    ],
    [
      'a better verdict, explained',
      failed,
      record({ is_compliant: false, reasons: [reason('incomplete', 'it is not finished')] }),
      ['non-compliant', ['unit: it is red: Nightly'], ['The record says incomplete']],
    ],
    [
      'a worse verdict',
      passed,
      record({ is_compliant: false, reasons: [reason('incomplete', 'a'), reason('failed', 'b')] }),
      ['non-compliant', ['unit: b', 'unit: a'], ['The record says non-compliant']],
    ],
    [
      'a worse verdict, in words',
      passed,
      record({ is_compliant: false, status_info: 'the licence has run out' }),
      ['non-compliant', ['unit: the licence has run out: Nightly'], ['The record says non-compliant']],
    ],
    [
      'a worse verdict without a reason',
      passed,
      record({ is_compliant: false }),
      ['non-compliant', ['unit: recorded as not compliant: Nightly'], ['The record says non-compliant']],
    ],
    [
      'a worse verdict, explained',
      unclear,
      record({ is_compliant: false, reasons: [reason('failed', 'b')] }),
      ['non-compliant', ['unit: b'], ['The record says non-compliant']],
    ],
  ];

  it.each(cases)('takes the worse verdict with its reasons: %s', async (_what, judgement, found, expected) => {
    const { verdict, reasons, remarks, attestationUrl } = await assessAttestation(judgement, found, facts);
    expect([verdict, reasons.map(describeReason), remarks.map(({ what }) => what)]).toEqual(expected);
    expect(reasons.map((one) => one.html_url)).toEqual(reasons.map(() => attestationUrl));
    expect(attestationUrl).toBe(found === undefined ? undefined : url);
    expect(verdict === 'compliant').toBe(reasons.length === 0);
  });

  it.each([
    ['junit', 'Record it with `attest-junit`, or require the type generic for it in the template.'],
    ['decision', 'To accept it, require the type generic for it in the template.'],
  ])('says that the template requires the type %s', async (requiredType, remedy) => {
    const found = record({ is_compliant: true, attestation_type: 'generic', required_type: requiredType });
    expect(await assessAttestation(passed, found, { ...facts, type: 'generic' })).toMatchObject({
      verdict: 'compliant',
      remarks: [{ what: `unit is recorded as generic; ${requiredType} is required by the template`, remedy }],
    });
  });
});
