import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assertArtifact } from '../../../src/contract/artifact-assertion.ts';
import { violations } from '../../../src/contract/check.ts';
import { changePolicies, provenancePolicy, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import {
  attest,
  fingerprintOf,
  report,
  sampleArtifact,
  sampleAttestation,
  saveFlow,
} from '../../support/service-samples.ts';

const [green, red, bare] = [fingerprintOf('aaaaaa'), fingerprintOf('bbbbbb'), fingerprintOf('cccccc')];

const strictPolicy = `_schema: https://example.com/schemas/policy/environment/v1
artifacts:
  trail-compliance:
    required: true
    exceptions:
      - if: \${{ artifact.name == "legacy.tar" }}
  attestations:
    - type: sonar
      name: sonar
    - type: junit
      name: unit
      if: \${{ matches(flow.name, "^api") }}
`;

describe('asserting an artifact', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    await saveFlow(service);
    await saveFlow(service, { name: 'api', template: [] });
    for (const [fingerprint, trail_name] of [
      [green, 'green'],
      [red, 'red'],
      [bare, 'bare'],
    ] as const) {
      await report(service, { fingerprint, trail_name });
    }
    await attest(service, sampleAttestation('OK'), 'green');
    await attest(service, sampleAttestation('ERROR'), 'red');
    await attest(service, sampleAttestation('OK', { attestation_name: 'more' }), 'green');
    await savePolicy(service, 'strict', strictPolicy);
    await savePolicy(service, 'provenance', provenancePolicy);
    for (const name of ['prod', 'open']) await saveEnvironment(service, name);
    await saveEnvironment(service, 'all', { type: 'logical', included_environments: ['prod', 'open'] });
    await changePolicies(service, 'POST', 'prod', ['strict', 'provenance']);
  });
  afterAll(() => stopWithoutErrors(service));

  const assert = (fingerprint: string, query = ''): Promise<Called> =>
    call(service, { path: `/asserts/acme/fingerprint/${fingerprint}${query}` });

  it('judges by the flow, with every attestation that is required or recorded', async () => {
    const { status, body } = await assert(green, '?flow_name=web');
    expect(status).toBe(200);
    expect(violations(assertArtifact.success[0].schema, body)).toEqual([]);
    expect(body).toMatchObject({
      ...{ compliant: true, scope: 'flow', fingerprint: green },
      html_url: expect.stringContaining(`/acme/flows/web/artifacts/${green}?artifact_id=`),
      flows: [
        {
          ...{ flow: 'web', trail: 'green', state: 'COMPLIANT' },
          compliance_status: {
            attestations_statuses: [
              {
                ...{ attestation_name: 'sonar', attestation_type: 'sonar', status: 'COMPLETE' },
                ...{ is_compliant: true, unexpected: false },
              },
              { attestation_name: 'more', status: 'COMPLETE', is_compliant: true, unexpected: true },
            ],
          },
        },
      ],
    });
    expect(body).not.toHaveProperty('policy_evaluations');
    expect((await assert(bare, '?flow_name=web')).body).toMatchObject({
      compliant: false,
      compliant_info: expect.stringContaining('It is INCOMPLETE in the flow web.'),
      flows: [
        {
          compliance_status: {
            attestations_statuses: [
              { attestation_name: 'sonar', attestation_type: '*', status: 'MISSING', is_compliant: false },
            ],
          },
        },
      ],
    });
    expect((await assert(red)).body).toMatchObject({ compliant: false, scope: 'flow' });
  });

  it('judges by all flows that have the artifact if none is named', async () => {
    const fingerprint = fingerprintOf('dddddd');
    await report(service, { fingerprint, trail_name: 'both' });
    const json = sampleArtifact({ fingerprint });
    await call(service, { method: 'POST', path: '/artifacts/acme/api', json });
    expect((await assert(fingerprint, '?flow_name=api')).body).toMatchObject({ compliant: true });
    expect((await assert(fingerprint)).body).toMatchObject({
      compliant: false,
      flows: [{ flow: 'api' }, { flow: 'web' }],
    });
    // The flow does not hide what the policies find in the others.
    expect((await assert(fingerprint, '?flow_name=api&environment_name=prod')).body).toMatchObject({
      ...{ compliant: false, scope: 'environment' },
      flows: [{ flow: 'api' }],
    });
  });

  it('judges by the policies of an environment, rule by rule', async () => {
    expect((await assert(green, '?environment_name=prod')).body).toMatchObject({
      ...{ compliant: true, scope: 'environment', environment: 'prod' },
      policy_evaluations: [
        { policy_name: 'provenance', policy_version: 1, status: 'COMPLIANT' },
        { policy_name: 'strict', status: 'COMPLIANT' },
      ],
    });
    const { body } = await assert(red, '?environment_name=prod');
    expect(violations(assertArtifact.success[0].schema, body)).toEqual([]);
    expect(body).toMatchObject({
      compliant: false,
      compliant_info: 'It does not comply with strict.',
      reasons: [{ state: 'failed', about: 'sonar', value: 'the quality gate is ERROR', rule: 'policy strict' }],
      policy_evaluations: [
        { status: 'COMPLIANT', rule_evaluations: [{ satisfied: true, ignored: false, resolutions: [] }] },
        {
          status: 'NON-COMPLIANT',
          rule_evaluations: [
            {
              rule: { definition: { name: 'trail-compliance', type: 'artifact' } },
              ...{ satisfied: false, ignored: false },
              resolutions: [
                {
                  type: 'non_compliant_in_trail',
                  context: { reason: 'sonar: the quality gate is ERROR.' },
                },
              ],
            },
            {
              rule: { definition: { name: 'sonar', type: 'sonar' } },
              resolutions: [
                {
                  type: 'non_compliant_attestation',
                  context: { reason: 'sonar: the quality gate is ERROR.' },
                },
              ],
            },
            { rule: { definition: { name: 'unit', type: 'junit' } }, satisfied: false, ignored: true, resolutions: [] },
          ],
        },
      ],
    });
  });

  it('judges by given policies, and leaves out rules that an exception exempts from', async () => {
    expect((await assert(red, '?policy_name=provenance')).body).toMatchObject({ compliant: true, scope: 'policy' });
    const both = await assert(bare, '?policy_name=strict&policy_name=provenance&policy_name=strict');
    expect(both.body).toMatchObject({
      compliant: false,
      policy_evaluations: [
        {
          policy_name: 'strict',
          rule_evaluations: [
            {},
            {
              resolutions: [
                { type: 'missing_attestation', context: { reason: 'sonar: not recorded; sonar is required.' } },
              ],
            },
            {},
          ],
        },
        { policy_name: 'provenance' },
      ],
    });
    const fingerprint = fingerprintOf('eeeeee');
    await report(service, { fingerprint, trail_name: 'legacy', filename: 'legacy.tar' });
    expect((await assert(fingerprint, '?policy_name=strict')).body).toMatchObject({
      policy_evaluations: [{ rule_evaluations: [{ satisfied: false, ignored: true, resolutions: [] }, {}, {}] }],
    });
  });

  it('counts the policies of the members of a logical environment, and passes nothing without policies', async () => {
    expect((await assert(red, '?environment_name=all')).body).toMatchObject({ compliant: false });
    expect((await assert(green, '?environment_name=all')).body).toMatchObject({ compliant: true });
    expect((await assert(green, '?environment_name=open')).body).toMatchObject({
      compliant: false,
      compliant_info: expect.stringContaining('open has no policies'),
      policy_evaluations: [],
    });
  });

  it.each([
    [fingerprintOf('12345'), '', 404, 'does not exist in organization'],
    [fingerprintOf('12345'), '?flow_name=web', 404, 'does not exist in flow'],
    [green, '?flow_name=unknown', 404, "Flow named 'unknown' does not exist for organization 'acme'"],
    [green, '?environment_name=unknown', 404, "Environment named 'unknown' does not exist"],
    [green, '?policy_name=strict&policy_name=unknown', 404, "Policy 'unknown' does not exist"],
    [green, '?environment_name=prod&policy_name=strict', 400, 'Input payload validation failed'],
    ['abcdef', '', 400, 'Input payload validation failed'],
    [green, '?policy_name=a%20b', 400, 'Input payload validation failed'],
  ])('answers an error to %s%s', async (fingerprint, query, status, message) => {
    expect(await assert(fingerprint, query)).toMatchObject({
      status,
      body: { message: expect.stringContaining(message) },
    });
  });
});
