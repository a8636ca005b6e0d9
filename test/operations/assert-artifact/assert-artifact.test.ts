import { describe, expect, it } from '@jest/globals';
import { fingerprintOf } from '../../support/artifacts.ts';
import { failureOf } from '../../support/failures.ts';
import {
  answersInTurn,
  type PerformedOperation,
  performOperation,
  type ScriptedAnswer,
} from '../../support/perform-operation.ts';

const fingerprint = fingerprintOf('a');
const page = 'https://compliance.example.com/acme/flows/web/artifacts/a';

const required = { attestation_name: 'sonar', attestation_type: 'sonar', unexpected: false };
const complete = { ...required, status: 'COMPLETE', is_compliant: true };
const inFlow = (...attestations_statuses: readonly unknown[]): unknown => ({
  flow: 'web',
  compliance_status: { attestations_statuses },
});
const answered = (change: object): ScriptedAnswer => ({
  status: 200,
  body: { compliant: true, scope: 'flow', flows: [inFlow(complete)], html_url: page, ...change },
});
const rule = (change: object): unknown => ({
  rule: { definition: { name: 'sonar', type: 'sonar' } },
  ...{ satisfied: false, ignored: false, resolutions: [] },
  ...change,
});
const judgedBy = (compliant: boolean, ...rule_evaluations: readonly unknown[]): ScriptedAnswer =>
  answered({
    compliant,
    scope: 'environment',
    environment: 'prod',
    policy_evaluations: [
      { policy_name: 'strict', status: compliant ? 'COMPLIANT' : 'NON-COMPLIANT', rule_evaluations },
    ],
  });
const missing = judgedBy(false, rule({ resolutions: [{ type: 'missing_attestation' }] }));

/** Runs the operation; the service returns the answers in order and repeats the last one. */
function assert(
  inputs: Readonly<Record<string, string>>,
  ...answers: Parameters<typeof answersInTurn>
): Promise<PerformedOperation> {
  return performOperation('assert-artifact', { fingerprint, retries: '0', ...inputs }, answersInTurn(...answers));
}

describe('assert-artifact', () => {
  it('asks about flow, environment or policies, and passes a compliant artifact', async () => {
    const byFlow = await assert({ flow: 'web' }, answered({}));
    expect(byFlow.sent).toEqual([`GET /asserts/acme/fingerprint/${fingerprint}?flow_name=web`]);
    expect(byFlow.result).toMatchObject({ outcome: 'compliant', state: 'COMPLIANT', htmlUrl: page, fingerprint });
    const byEnvironment = await assert({ environment: 'prod' }, judgedBy(true, rule({ satisfied: true })));
    expect(byEnvironment.requests[0]?.path).toContain('?environment_name=prod');
    expect(byEnvironment.result.outcome).toBe('compliant');
    const policies = ['a', 'b'].map((policy_name) => ({ policy_name, status: 'COMPLIANT' }));
    const byPolicy = await assert({ policy: 'a\nb\na' }, answered({ scope: 'policy', policy_evaluations: policies }));
    expect(byPolicy.requests[0]?.path).toContain('?policy_name=a&policy_name=b');
    expect(byPolicy.result.outcome).toBe('compliant');
    expect(byPolicy.result.conclusion).toContain('by the policies a, b');
    const byOne = await assert(
      { policy: 'a' },
      answered({ scope: 'policy', policy_evaluations: policies.slice(0, 1) }),
    );
    expect(byOne.result.conclusion).toContain('by policy a');
    expect((await assert({}, answered({}))).requests[0]?.path).not.toContain('?');
  });

  it('says what is missing, rule by rule', async () => {
    const { result } = await assert(
      { environment: 'prod' },
      judgedBy(
        false,
        rule({ resolutions: [{ type: 'non_compliant_attestation', context: { reason: 'its gate is ERROR' } }] }),
        rule({ rule: { definition: { name: '*', type: 'junit' } }, resolutions: [{ type: 'missing_attestation' }] }),
        rule({ ignored: true, resolutions: [{ type: 'missing_attestation' }] }),
        rule({ satisfied: true }),
        rule({ rule: { definition: { name: 'new', type: 'x' } }, resolutions: [{ type: 'unheard_of' }] }),
      ),
    );
    expect(result).toMatchObject({ outcome: 'non-compliant', state: 'NON-COMPLIANT' });
    expect(result.conclusion.split('\n')).toEqual([
      `Artifact ${fingerprint.slice(0, 12)} is NON-COMPLIANT by the policies of environment prod:`,
      'sonar: its gate is ERROR (policy strict)',
      'new: the service calls it "unheard_of" (policy strict)',
      'any junit attestation: not recorded (policy strict)',
    ]);
    expect(result.report.reasons?.map(({ state, about }) => `${state} ${about}`)).toEqual([
      'failed sonar',
      'failed new',
      'missing any junit attestation',
    ]);
  });

  it.each([
    ['failed', 'non-compliant'],
    ['incomplete', 'incomplete'],
    ['missing', 'incomplete'],
  ] as const)('has the reasons of the answer, and no others; a %s one makes it %s', async (state, outcome) => {
    const reason = {
      state,
      about: 'sonar',
      rule: 'policy strict',
      value: 'too old',
      limit: 'at most 7 days',
      html_url: page,
    };
    const { result } = await assert(
      { flow: 'web' },
      answered({
        compliant: false,
        reasons: [reason, 'odd'],
        flows: [inFlow({ ...complete, is_compliant: false }, { ...required, status: 'MISSING' })],
      }),
    );
    expect(result).toMatchObject({
      outcome,
      conclusion: `Artifact ${fingerprint.slice(0, 12)} is ${outcome.toUpperCase()} in flow web: sonar: too old; at most 7 days (policy strict).`,
      report: { reasons: [reason] },
    });
    expect((await failureOf(assert({ flow: 'web' }, answered({ reasons: [reason] })))).message).toContain(
      'compliant, but also that it is not (sonar: too old',
    );
  });

  it('says what the answer says if it has no reasons', async () => {
    const unexplained = answered({ compliant: false, flows: [], compliant_info: 'Rejected by hand.' });
    const { result } = await assert({ flow: 'web' }, unexplained);
    expect(result.conclusion).toMatch(/is NON-COMPLIANT in flow web: Rejected by hand\.$/u);
    expect(result.report.reasons).toMatchObject([{ state: 'failed', html_url: page }]);
    const silent = await assert({ flow: 'web' }, answered({ compliant: false, flows: undefined }));
    expect(silent.result.conclusion).toContain(': the service says NON-COMPLIANT and gives no reason.');
  });

  it('derives the reasons from the flows', async () => {
    const missing = { attestation_name: 'unit', attestation_type: 'junit', status: 'MISSING' };
    const flows = [inFlow({ ...complete, is_compliant: false }, missing, { ...missing, unexpected: true })];
    const { result } = await assert({}, answered({ compliant: false, flows }));
    expect(result.report.reasons).toEqual([
      { state: 'failed', about: 'sonar', rule: 'flow web', value: 'not compliant' },
      { state: 'missing', about: 'unit', rule: 'flow web', value: 'not recorded', limit: 'junit is required' },
    ]);
  });

  it.each<readonly [string, ScriptedAnswer, string]>([
    ['missing', answered({ compliant: false, flows: [inFlow({ ...required, status: 'MISSING' })] }), 'incomplete'],
    [
      'not compliant',
      answered({ compliant: false, flows: [inFlow({ ...complete, is_compliant: false })] }),
      'non-compliant',
    ],
    ['unexplained', answered({ compliant: false, flows: [] }), 'non-compliant'],
    ['without details', answered({ compliant: false, flows: undefined }), 'non-compliant'],
  ])('closes the gate if evidence is %s', async (_case, answer, outcome) => {
    expect((await assert({ flow: 'web' }, answer)).result.outcome).toBe(outcome);
  });

  it('closes the gate for an environment without policies', async () => {
    const answer = answered({ compliant: false, scope: 'environment', environment: 'prod', policy_evaluations: [] });
    const { result } = await assert({ environment: 'prod' }, answer);
    expect(result).toMatchObject({
      outcome: 'incomplete',
      conclusion: expect.stringContaining('prod: has no policies; attach a policy'),
    });
  });

  it.each<readonly [string, object]>([
    ['compliant is a text', { compliant: 'true' }],
    ['compliant is missing', { compliant: undefined }],
    ['compliant is null', { compliant: null }],
    ['the scope is another', { scope: 'flow' }],
    ['the environment is another', { environment: 'test' }],
    ['the environment is missing', { environment: undefined }],
    ['the fingerprint is another', { fingerprint: fingerprintOf('b') }],
    ['no policy was applied', { policy_evaluations: [] }],
    ['nothing says which policies were applied', { policy_evaluations: undefined }],
    ['a policy is not fulfilled', { policy_evaluations: [{ policy_name: 'strict', status: 'NON-COMPLIANT' }] }],
    [
      'a rule is not fulfilled',
      { policy_evaluations: [{ policy_name: 'p', status: 'COMPLIANT', rule_evaluations: [rule({})] }] },
    ],
    ['the flow is another', { flows: [{ flow: 'api', compliance_status: { attestations_statuses: [] } }] }],
  ])('does not pass if %s', async (_case, change) => {
    const good = {
      scope: 'environment',
      environment: 'prod',
      policy_evaluations: [{ policy_name: 'strict', status: 'COMPLIANT' }],
    };
    const inputs = { environment: 'prod', flow: 'web' };
    expect((await assert(inputs, answered(good))).result.outcome).toBe('compliant');
    const failure = await failureOf(assert(inputs, answered({ ...good, ...change })));
    expect(failure.kind).toBe('external');
  });

  it('waits for a missing artifact and for missing evidence, but not after a failed one', async () => {
    const unknown = {
      status: 404,
      body: { message: `Artifact with fingerprint '${fingerprint}' does not exist in x` },
    };
    const waited = await assert({ environment: 'prod', wait: '60' }, unknown, missing, judgedBy(true));
    expect(waited.result.outcome).toBe('compliant');
    expect(waited.requests).toHaveLength(3);
    const failed = judgedBy(false, rule({ resolutions: [{ type: 'non_compliant_attestation' }] }));
    expect((await assert({ environment: 'prod', wait: '60' }, failed, judgedBy(true))).result.outcome).toBe(
      'non-compliant',
    );
    expect((await assert({ environment: 'prod' }, unknown)).result).toMatchObject({
      outcome: 'incomplete',
      conclusion: `Artifact ${fingerprint.slice(0, 12)} is INCOMPLETE by the policies of environment prod: not reported to any flow.`,
      response: { fingerprint, verdict: 'incomplete', reasons: [{ value: 'not reported to any flow' }] },
    });
    expect((await assert({}, unknown)).result.conclusion).toBe(
      `Artifact ${fingerprint.slice(0, 12)} is INCOMPLETE across all flows: not reported to any flow.`,
    );
    expect((await assert({ flow: 'web', wait: '60' }, unknown)).result.conclusion).toContain(
      'not reported to flow web within 60 s.',
    );
    const timedOut = await assert({ environment: 'prod', wait: '5' }, missing);
    expect(timedOut.result).toMatchObject({ outcome: 'incomplete', conclusion: expect.stringContaining('timed out') });
  });

  it('judges several artifacts by the worst, and leads to none of their pages', async () => {
    const both = { fingerprint: `${fingerprint}\n${fingerprintOf('b')}`, environment: 'prod' };
    const { result } = await assert(both, judgedBy(true), missing);
    expect(result).toMatchObject({
      outcome: 'incomplete',
      response: [{ verdict: 'compliant' }, { verdict: 'incomplete' }],
      htmlUrl: undefined,
    });
    const unknown = {
      status: 404,
      body: { message: `Artifact with fingerprint '${both.fingerprint}' does not exist` },
    };
    expect((await assert(both, judgedBy(true), unknown)).result).toMatchObject({ outcome: 'incomplete' });
    const refused = { status: 403, body: { message: 'no' } };
    expect((await assert(both, judgedBy(true), refused)).result).toMatchObject({ outcome: 'error' });
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['an environment and a policy', { environment: 'prod', policy: 'strict' }, 'exclude each other'],
    ['neither fingerprint nor files', { fingerprint: '' }, 'Exactly one of'],
    ['an abbreviated fingerprint', { fingerprint: 'abcdef' }, 'must be a SHA-256'],
  ])('refuses %s', async (_case, inputs, words) => {
    expect((await failureOf(assert(inputs, answered({})))).message).toContain(words);
  });
});
