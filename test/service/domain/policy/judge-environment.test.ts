import { describe, expect, it } from '@jest/globals';
import {
  judgeEnvironment,
  unjudged,
  type ArtifactInFlow,
  type AttachedPolicy,
  type JudgedArtifact,
} from '../../../../src/service/domain/policy/judge-environment.ts';
import type { PolicyRules } from '../../../../src/service/domain/policy/rules.ts';

const policy = (artifacts: PolicyRules['artifacts'], name = 'strict'): AttachedPolicy => ({
  name,
  version: 3,
  rules: { _schema: 'https://example.com/v1', ...(artifacts === undefined ? {} : { artifacts }) },
});
const inFlow = (change: Partial<ArtifactInFlow> = {}): ArtifactInFlow => ({
  flow: 'web',
  state: 'COMPLIANT',
  info: 'All evidence is compliant: sonar.',
  evidence: [{ name: 'sonar', type: 'sonar', verdict: 'compliant' }],
  ...change,
});
const artifact = (...flows: ArtifactInFlow[]): JudgedArtifact => ({ name: 'web:1', fingerprint: 'f1', flows });
const reasons = (rules: PolicyRules['artifacts'], ...artifacts: JudgedArtifact[]): string[] =>
  judgeEnvironment([policy(rules)], artifacts).breaches.map(({ reason }) => reason);

describe('the judgement of an environment', () => {
  it('is none without policies', () => {
    expect(judgeEnvironment([], [artifact()])).toEqual(unjudged);
  });

  it('is good where nothing runs, or nothing is required', () => {
    expect(judgeEnvironment([policy({ provenance: { required: true } })], [])).toMatchObject({ compliant: true });
    const idle = [policy(undefined), policy({}), policy({ provenance: {}, 'trail-compliance': { required: false } })];
    expect(judgeEnvironment(idle, [artifact()])).toMatchObject({ compliant: true });
  });

  it('names the policies with their versions, and every breach', () => {
    const policies = [policy({ provenance: { required: true } }), policy({ provenance: { required: true } }, 'other')];
    expect(judgeEnvironment(policies, [artifact(), { ...artifact(inFlow()), fingerprint: 'f2' }])).toEqual({
      compliant: false,
      policies: [
        { name: 'strict', version: 3 },
        { name: 'other', version: 3 },
      ],
      breaches: [
        { policy: 'strict', name: 'web:1', fingerprint: 'f1', reason: 'no flow knows it' },
        { policy: 'other', name: 'web:1', fingerprint: 'f1', reason: 'no flow knows it' },
      ],
      allowed: [],
    });
  });
});

describe('the rule of provenance', () => {
  const rule = { required: true, exceptions: [{ if: '${{ matches(artifact.name, "^web:") and not exists(flow) }}' }] };

  it('lets an exception allow an artifact that no flow knows', () => {
    expect(judgeEnvironment([policy({ provenance: rule })], [artifact()])).toMatchObject({
      compliant: true,
      allowed: ['f1'],
    });
    expect(reasons({ provenance: rule }, { ...artifact(), name: 'api:1' })).toEqual(['no flow knows it']);
  });

  it('allows nothing that needs no exception, or that breaks another rule', () => {
    expect(judgeEnvironment([policy({ provenance: rule })], [artifact(inFlow())])).toMatchObject({ allowed: [] });
    const both = policy({ provenance: rule, attestations: [{ type: 'sonar' }] });
    expect(judgeEnvironment([both], [artifact()])).toMatchObject({ compliant: false, allowed: [] });
  });
});

describe('the rule of trail compliance', () => {
  const failing = inFlow({
    flow: 'release',
    state: 'NON-COMPLIANT',
    info: 'Not compliant: sonar (the quality gate is ERROR).',
  });

  it('is kept where every flow that knows the artifact finds it compliant', () => {
    const rule = { 'trail-compliance': { required: true } };
    expect(reasons(rule, artifact(inFlow()))).toEqual([]);
    expect(reasons(rule, artifact(inFlow(), failing))).toEqual([
      'it is NON-COMPLIANT in the flow release: Not compliant: sonar (the quality gate is ERROR)',
    ]);
    expect(reasons(rule, artifact(inFlow({ state: 'INCOMPLETE', info: 'x.' })))).toEqual([
      'it is INCOMPLETE in the flow web: x',
    ]);
    expect(reasons(rule, artifact())).toEqual(['no flow knows it, so no trail can be compliant']);
  });

  it('leaves out the flows that an exception holds for', () => {
    const of = (flow: string): PolicyRules['artifacts'] => ({
      'trail-compliance': { required: true, exceptions: [{ if: `\${{ flow.name == "${flow}" }}` }] },
    });
    expect(judgeEnvironment([policy(of('release'))], [artifact(inFlow(), failing)])).toMatchObject({
      compliant: true,
      allowed: ['f1'],
    });
    expect(reasons(of('web'), artifact(inFlow(), failing))).toHaveLength(1);
    expect(reasons(of('web'), artifact())).toHaveLength(1);
  });
});

describe('the rule of attestations', () => {
  const failed = inFlow({ evidence: [{ name: 'web.quality', type: 'sonar', verdict: 'non-compliant' }] });

  it.each([
    [{ type: 'sonar' }, []],
    [{ type: '*' }, []],
    [{ type: '*', name: 'sonar' }, []],
    [{ type: 'sonar', name: 'quality' }, ['it has no sonar attestation quality']],
    [{ type: 'junit' }, ['it has no junit attestation']],
    [{ type: '*', name: 'unit' }, ['it has no attestation unit']],
  ])('%j finds what is there', (rule, expected) => {
    expect(reasons({ attestations: [rule] }, artifact(inFlow()))).toEqual(expected);
  });

  it('wants all that it finds to be compliant, in whichever flow, unless it says otherwise', () => {
    const reason = 'its sonar attestation web.quality is non-compliant';
    expect(reasons({ attestations: [{ type: 'sonar' }] }, artifact(inFlow(), failed))).toEqual([reason]);
    expect(reasons({ attestations: [{ type: 'sonar', name: 'quality' }] }, artifact(failed))).toEqual([reason]);
    expect(reasons({ attestations: [{ type: 'sonar', name: 'sonar' }] }, artifact(inFlow(), failed))).toEqual([]);
    expect(reasons({ attestations: [{ type: 'sonar', must_be_compliant: false }] }, artifact(failed))).toEqual([]);
  });

  it('asks only where its condition holds', () => {
    const rule = (text: string): PolicyRules['artifacts'] => ({
      attestations: [{ type: 'junit', if: `\${{ ${text} }}` }],
    });
    expect(reasons(rule('flow.name == "api"'), artifact(inFlow()))).toEqual([]);
    expect(reasons(rule('flow.name == "web"'), artifact(inFlow()))).toEqual(['it has no junit attestation']);
    expect(reasons(rule('flow.name == "web"'), artifact())).toEqual([]);
    expect(reasons(rule('not exists(flow)'), artifact())).toEqual(['it has no junit attestation']);
  });
});
