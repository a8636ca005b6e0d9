import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemAttestation } from '../../src/contract/attestations/system.ts';
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
beforeEach(async () => {
  await workspace.write('bom.json', readText('test/evidence/bill-of-materials/samples/syft.spdx.json'));
});

/** Runs the operation with a service that accepts everything. */
function attest(inputs: Readonly<Record<string, string>> = {}): Promise<PerformedOperation> {
  const given = { flow: 'web', 'sbom-path': 'bom.json', ...inputs };
  return performOperation('attest-sbom', given, always(201, 'OK'), workspace.path);
}

describe('attest-sbom', () => {
  it('records what the bill says, its licences and the rule, with the file as it is', async () => {
    const done = await attest({ 'allowed-licenses': 'MIT\nGPL-2.0-only', annotations: 'team=web' });
    const reasons = [
      'ca-certificates@20250911-r0 has MPL-2.0 AND MIT; the licence is not allowed',
      'fonts@2.0 has LicenseRef-custom-fonts; the licence is not allowed',
      'shop has no licence that can be read; a licence is required',
    ];
    expect(done.result).toMatchObject({
      outcome: 'non-compliant',
      conclusion: `sbom is NON-COMPLIANT:\n${reasons.join('\n')}\nRecorded as sbom in flow web, for commit ${shas.head.slice(0, 12)}.`,
    });
    const sha256: unknown = expect.stringMatching(/^[0-9a-f]{64}$/u);
    expect(sentAttestation(systemAttestation, done)).toMatchObject({
      type_name: 'sbom',
      attestation_data: { format: 'spdx-2.3', original_fingerprint: sha256, document: { package_count: 6 } },
      annotations: { team: 'web', sbom_format: 'spdx-2.3', sbom_sha256: sha256 },
      user_data: {
        licenses: { not_allowed_count: 2, unknown_count: 1 },
        rule: { allowed_licenses: ['MIT', 'GPL-2.0-only'], unknown_licenses: 'refuse' },
      },
    });
    expect(done.requests[0]?.body).toContain('filename="bom.json"');
    expect(reportFacts(done.result)).toMatchObject({
      Format: 'spdx-2.3',
      Components: '6',
      'Written by': 'syft-1.33.0',
    });
    expect(reportTables(done.result)).toMatchObject({
      'Licences that are not allowed (2)': [expect.anything(), ['fonts@2.0', 'LicenseRef-custom-fonts']],
      'Unknown licences (1)': [['shop']],
    });
  });

  it('may allow unknown licences', async () => {
    const allowed = 'MIT\nMPL-2.0\nGPL-2.0-only\nLicenseRef-custom-fonts';
    const given = { 'allowed-licenses': allowed, 'unknown-licenses': 'allow' };
    expect((await attest(given)).result.outcome).toBe('compliant');
  });

  it('records without a rule what it does not judge', async () => {
    const done = await attest();
    expect(done.result.outcome).toBe('compliant');
    expect(sentAttestation(systemAttestation, done)).toMatchObject({
      user_data: { licenses: { not_allowed_count: 0, unknown_count: 1 } },
    });
    expect(sentAttestation(systemAttestation, done)).not.toHaveProperty('user_data.rule');
  });

  it.each<[Readonly<Record<string, string>>, string]>([
    [{ 'unknown-licenses': 'allow' }, '`unknown-licenses` has no effect without `allowed-licenses`'],
    [{ annotations: 'sbom_format=x' }, '`annotations` has the key sbom_format, which the action itself sets'],
    [{ 'user-data': '{"licenses":1}' }, '`user-data` has the key licenses, which the action itself sets'],
    [
      { 'sbom-path': '*' },
      '`sbom-path` must name exactly one file, the bill of materials, but matches 2:\n  a.txt\n  bom.json',
    ],
    [{ 'sbom-path': 'missing.json' }, 'missing.json'],
    [{ 'allowed-licenses': 'Apache' }, '`allowed-licenses`: "Apache" is not the identifier of one SPDX licence'],
  ])('refuses %j, before anything is sent', async (inputs, message) => {
    await workspace.write('a.txt', 'x');
    expect((await failureOf(attest(inputs))).message).toContain(message);
  });
});
