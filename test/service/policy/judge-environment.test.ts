import { describe, expect, it } from '@jest/globals';
import type { Verdict } from '../../../src/contract/compliance.ts';
import { describeReason } from '../../../src/contract/reason.ts';
import type { Evidence } from '../../../src/service/artifact/artifact-state.ts';
import { compilePolicy } from '../../../src/service/policy/compile-policy.ts';
import {
  type AttachedPolicy,
  describeAnnounced,
  type EnvironmentJudgement,
  evaluatePolicies,
  judgeEnvironment,
  listEnvironmentReasons,
  maximumBreaches,
} from '../../../src/service/policy/judge-environment.ts';
import type { ArtifactInFlow, JudgedArtifact } from '../../../src/service/policy/judged-artifact.ts';
import type { PolicyRules } from '../../../src/service/policy/policy-rules.ts';
import {
  JudgementBudget,
  KnownMatches,
  MissingMatchesError,
  type PatternUse,
  prepareMatches,
} from '../../../src/service/requirement/judgement-budget.ts';

const policy = (artifacts: PolicyRules['artifacts'], name = 'strict'): AttachedPolicy => ({
  name,
  version: 3,
  compiled: compilePolicy({ _schema: 'https://example.com/v1', ...(artifacts === undefined ? {} : { artifacts }) }),
});
/** 2026-11-26T00:00:00Z. */
const now = 1_795_651_200;

const piece = (name: string, verdict: Verdict, type = 'sonar'): Evidence => ({
  ...{ name, type, verdict, level: 'artifact', reason: `it is ${verdict}`, faults: [] },
});
const inFlow = (change: Partial<ArtifactInFlow> = {}): ArtifactInFlow => ({
  flow: 'web',
  tags: {},
  state: 'COMPLIANT',
  info: 'All evidence is compliant: sonar.',
  reasons: [],
  evidence: [piece('sonar', 'compliant')],
  ...change,
});
const artifact = (...flows: ArtifactInFlow[]): JudgedArtifact => ({ name: 'web:1', fingerprint: 'f1', flows });
const judge = (policies: readonly AttachedPolicy[], artifacts: readonly JudgedArtifact[]): EnvironmentJudgement =>
  judgeEnvironment(policies, () => artifacts, now);
const reasons = (rules: PolicyRules['artifacts'], ...artifacts: JudgedArtifact[]): string[] =>
  judge([policy(rules)], artifacts).breaches.map(({ reason }) => describeReason(reason));

describe('the judgement of an environment', () => {
  it('names the policies with their versions, and every breach', () => {
    const policies = [policy({ provenance: { required: true } }), policy({ provenance: { required: true } }, 'other')];
    const reason = { state: 'missing', about: 'web:1', value: 'not reported to any flow' };
    expect(judge(policies, [artifact(), { ...artifact(inFlow()), fingerprint: 'f2' }])).toEqual({
      compliant: false,
      policies: [
        { name: 'strict', version: 3 },
        { name: 'other', version: 3 },
      ],
      breaches: [
        { policy: 'strict', name: 'web:1', fingerprint: 'f1', reason: { ...reason, rule: 'policy strict' } },
        { policy: 'other', name: 'web:1', fingerprint: 'f1', reason: { ...reason, rule: 'policy other' } },
      ],
      allowed: [],
    });
  });
});

describe('the rule of provenance', () => {
  const rule = { required: true, exceptions: [{ if: '${{ matches(artifact.name, "^web:") and not exists(flow) }}' }] };

  it('lets an exception allow an unreported artifact', () => {
    expect(judge([policy({ provenance: rule })], [artifact()])).toMatchObject({
      compliant: true,
      allowed: ['f1'],
    });
    expect(reasons({ provenance: rule }, { ...artifact(), name: 'api:1' })).toEqual([
      'api:1: not reported to any flow (policy strict)',
    ]);
    const both = policy({ provenance: rule, attestations: [{ type: 'sonar' }] });
    expect(judge([both], [artifact()])).toMatchObject({ compliant: false, allowed: [] });
  });
});

describe('the rule of trail compliance', () => {
  const failing = inFlow({
    flow: 'release',
    state: 'NON-COMPLIANT',
    info: 'sonar: the quality gate is ERROR (quality gate).',
    reasons: [{ state: 'failed', about: 'sonar', value: 'the quality gate is ERROR', rule: 'quality gate' }],
  });
  const missing = { state: 'missing', about: 'unit', value: 'not recorded' } as const;

  it('is kept if the artifact is compliant in every flow that knows it', () => {
    const rule = { 'trail-compliance': { required: true } };
    expect(reasons(rule, artifact(inFlow()))).toEqual([]);
    expect(reasons(rule, artifact(inFlow(), failing))).toEqual([
      'sonar in flow release: the quality gate is ERROR (policy strict, quality gate)',
    ]);
    const incomplete = inFlow({ state: 'INCOMPLETE', info: 'x.', reasons: [missing] });
    expect(reasons(rule, artifact(incomplete))).toEqual(['unit: not recorded (policy strict)']);
    expect(reasons(rule, artifact(incomplete, failing))).toEqual([
      'sonar in flow release: the quality gate is ERROR (policy strict, quality gate)',
      'unit in flow web: not recorded (policy strict)',
    ]);
    expect(reasons(rule, artifact())).toEqual(['web:1: not reported to any flow (policy strict)']);
  });
});

describe('the rule of attestations', () => {
  it('names what failed first, and no more than five pieces of evidence', () => {
    const incomplete = ['a', 'b', 'c', 'd', 'e'].map((name) => piece(name, 'incomplete'));
    const all = artifact(inFlow({ evidence: [...incomplete, piece('f', 'non-compliant')] }));
    expect(reasons({ attestations: [{ type: 'sonar' }] }, all)).toEqual([
      'f: it is non-compliant (policy strict)',
      ...['a', 'b', 'c', 'd'].map((name) => `${name}: it is incomplete (policy strict)`),
    ]);
  });

  it.each([
    [{ type: 'sonar' }, []],
    [{ type: '*' }, []],
    [{ type: '*', name: 'sonar' }, []],
    [{ type: 'sonar', name: 'quality' }, ['quality: not recorded; sonar is required (policy strict)']],
    [{ type: 'junit' }, ['attestation of type junit: not recorded (policy strict)']],
    [{ type: '*', name: 'unit' }, ['unit: not recorded (policy strict)']],
    [{ type: 'junit', name: 'sonar' }, ['sonar: recorded as sonar; junit is required (policy strict)']],
    [{ type: 'snyk', name: 'vuln' }, ['vuln: not recorded; snyk is required (policy strict)']],
  ])('%j finds what is there', (rule, expected) => {
    expect(reasons({ attestations: [rule] }, artifact(inFlow()))).toEqual(expected);
  });

  it('that need not be compliant accept any verdict, and ask for no condition of their type', () => {
    const evidence = [piece('sonar', 'non-compliant'), piece('scan', 'incomplete', 'snyk')];
    const attestations = evidence.map(({ type }) => ({ type, must_be_compliant: false }));
    expect(reasons({ attestations }, artifact(inFlow({ evidence })))).toEqual([]);
  });

  it('applies only if its condition holds', () => {
    const rule = (text: string): PolicyRules['artifacts'] => ({
      attestations: [{ type: 'junit', if: `\${{ ${text} }}` }],
    });
    expect(reasons(rule('flow.name == "api"'), artifact(inFlow()))).toEqual([]);
    expect(reasons(rule('flow.name == "web"'), artifact(inFlow()))).toEqual([
      'attestation of type junit: not recorded (policy strict)',
    ]);
    expect(reasons(rule('flow.name == "web"'), artifact())).toEqual([]);
    expect(reasons(rule('not exists(flow)'), artifact())).toEqual(['web:1: not reported to any flow (policy strict)']);
  });
});

describe('rules that depend on the time', () => {
  const aged = (hours: number): JudgedArtifact =>
    artifact(inFlow({ evidence: [{ ...piece('sonar', 'compliant'), createdAt: now - hours * 3600 }] }));
  const provenance = { required: true } as const;

  it.each([
    ['24h', 24, []],
    ['24h', 24.1, ['sonar: 25 h old; at most 24 h (policy strict)']],
    ['2d', 49, ['sonar: 3 days old; at most 2 days (policy strict)']],
    ['30m', 0.6, ['sonar: 36 min old; at most 30 min (policy strict)']],
  ])('allow evidence to be %s old: %s hours', (max_age, hours, expected) => {
    expect(reasons({ attestations: [{ type: 'sonar', max_age }] }, aged(hours))).toEqual(expected);
  });

  it.each([
    ['2026-11-25', false],
    ['2026-11-26', true],
    ['2026-11-27', true],
  ])('except until %s, a day in UTC', (until, compliant) => {
    const exceptions = [{ if: '${{ not exists(flow) }}', until, reason: 'being moved' }];
    expect(judge([policy({ provenance: { required: true, exceptions } })], [artifact()])).toMatchObject({ compliant });
  });

  it('are announced until they are enforced, with what they would find', () => {
    const rules = { _schema: 'https://example.com/v1', artifacts: { provenance } };
    const attach = (enforce_from: string): AttachedPolicy => ({
      ...{ name: 'strict', version: 1 },
      compiled: compilePolicy({ ...rules, enforce_from }),
    });
    const later = judge([attach('2026-11-28'), attach('2026-11-27'), attach('2026-11-29')], [artifact()]);
    expect(later).toMatchObject({ compliant: true, breaches: [], brokenFrom: '2026-11-27' });
    expect(judge([attach('2026-11-26')], [artifact()])).toMatchObject({ compliant: false });
    const [evaluation] = evaluatePolicies([attach('2026-11-27')], artifact(), now);
    expect(evaluation?.compliant).toBe(true);
    expect(describeAnnounced(evaluation === undefined ? [] : [evaluation])).toEqual([
      'From 2026-11-27 on, it would not comply: web:1: not reported to any flow (policy strict).',
    ]);
  });

  it.each([
    ['2026-11-28', '2026-11-27'],
    ['2026-11-27', '2026-11-28'],
  ])('are enforced from the later of their own day %s and that of the policy %s', (own, enforce_from) => {
    const artifacts = { attestations: [{ type: 'junit', enforce_from: own }] };
    const compiled = compilePolicy({ _schema: 'https://example.com/v1', enforce_from, artifacts });
    const judged = judge([{ name: 'strict', version: 1, compiled }], [artifact(inFlow())]);
    expect(judged.brokenFrom).toBe('2026-11-28');
  });

  it('are those of a policy that can change a verdict without a change', () => {
    const dependsOnTime = (rules: PolicyRules['artifacts']): boolean => policy(rules).compiled.dependsOnTime;
    expect(dependsOnTime({ provenance, attestations: [{ type: 'sonar' }] })).toBe(false);
    expect(compilePolicy({ _schema: 'https://example.com/v1', enforce_from: '2027-01-01' }).dependsOnTime).toBe(true);
    const exceptions = [{ if: '${{ true }}', until: '2027-01-01' }];
    expect(dependsOnTime({ 'trail-compliance': { required: true, exceptions } })).toBe(true);
    expect(dependsOnTime({ attestations: [{ type: 'sonar', max_age: '1h' }] })).toBe(true);
    expect(dependsOnTime({ attestations: [{ type: 'sonar', enforce_from: '2027-01-01' }] })).toBe(true);
  });
});

describe('a judgement that exceeds the limits', () => {
  const many = (count: number, name = 'image'): JudgedArtifact[] =>
    Array.from({ length: count }, (_, index) => ({ name: `${name}${index}`, fingerprint: `f${index}`, flows: [] }));
  const exceptions = (condition: string, count: number): PolicyRules['artifacts'] => ({
    provenance: { required: true, exceptions: Array.from({ length: count }, () => ({ if: `\${{ ${condition} }}` })) },
  });
  const list = `artifact.name in [${'"a",'.repeat(199)}"b"]`;

  it('ends as not compliant, with the reason', () => {
    expect(judge([policy(exceptions(list, 100))], many(100))).toEqual({
      compliant: false,
      policies: [{ name: 'strict', version: 3 }],
      breaches: [],
      unjudgeable: 'judging it was stopped: it takes more than 1000000 steps, the limit of one judgement',
      allowed: [],
    });
    expect(judge([policy(exceptions(list, 100))], many(10))).not.toHaveProperty('unjudgeable');
  });

  it('requests the matching of its patterns first, and needs no others afterwards', async () => {
    const policies = [policy(exceptions('matches(artifact.name, "(a|b){1,50}c")', 1))];
    const artifacts = many(100, 'a'.repeat(50));
    const known = new KnownMatches();
    const attempt = (): EnvironmentJudgement =>
      judgeEnvironment(policies, () => artifacts, now, new JudgementBudget(known));
    let needed: Iterable<PatternUse> = [];
    try {
      attempt();
    } catch (error) {
      if (!(error instanceof MissingMatchesError)) throw error;
      ({ needed } = error);
    }
    let pauses = 0;
    await prepareMatches(known, needed, () => {
      pauses += 1;
      return Promise.resolve();
    });
    expect(pauses).toBeGreaterThan(2);
    const { compliant, breaches, unjudgeable } = attempt();
    expect([compliant, breaches.length, unjudgeable]).toEqual([false, 100, undefined]);
  });

  it('matches no more than the limit allows', async () => {
    const policies = [policy(exceptions('matches(artifact.name, "(a|b){1,190}c")', 1))];
    const artifacts = many(100, 'a'.repeat(1000));
    const known = new KnownMatches();
    await prepareMatches(
      known,
      policies.flatMap(({ compiled }) => artifacts.flatMap((one) => [...compiled.patternUses(one)])),
      () => Promise.resolve(),
    );
    expect(judgeEnvironment(policies, () => artifacts, now, new JudgementBudget(known))).toMatchObject({
      compliant: false,
      unjudgeable: 'judging it was stopped: its patterns take more than 30000000 steps, the limit of one judgement',
    });
  });

  it('is not compliant if a policy was stored before a limit that it exceeds', () => {
    expect(judge([policy(exceptions('matches(artifact.name, "a{1001}")', 1))], many(1))).toMatchObject({
      compliant: false,
      unjudgeable: expect.stringContaining(
        'the policy strict cannot be applied: one of its conditions has the pattern',
      ) as unknown,
    });
    const tooLong = policy(exceptions('matches(artifact.name, "a{1001}")', 1));
    expect(evaluatePolicies([tooLong], artifact(), now)).toMatchObject([{ compliant: false, rules: [] }]);
  });

  it('keeps the first breaches, and counts the others', () => {
    const { breaches, furtherBreaches } = judge(
      [policy({ provenance: { required: true } })],
      many(maximumBreaches + 5),
    );
    expect([breaches.length, furtherBreaches]).toEqual([maximumBreaches, 5]);
    const missing = ['unit', 'scan'].map((about) => ({ state: 'missing', about, value: 'not recorded' }) as const);
    const flows = [inFlow({ state: 'INCOMPLETE', reasons: missing })];
    const twice = many(maximumBreaches / 2 + 5).map((one) => ({ ...one, flows }));
    const all = listEnvironmentReasons(judge([policy({ 'trail-compliance': { required: true } })], twice), 'prod');
    expect([all.length, all.at(-1)?.about]).toEqual([maximumBreaches + 1, '10 more']);
    const named = many(maximumBreaches).map((one) => ({ ...one, name: 'x'.repeat(4096) }));
    const long = judge([policy({ provenance: { required: true } })], named);
    expect([long.breaches.length, long.furtherBreaches]).toEqual([128, maximumBreaches - 128]);
  });
});
