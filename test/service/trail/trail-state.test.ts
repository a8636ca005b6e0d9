import { describe, expect, it } from '@jest/globals';
import type { Verdict } from '../../../src/contract/compliance.ts';
import type { ReportedArtifact } from '../../../src/service/artifact/artifact.ts';
import { type Evidence, judgeArtifact, type Judgement } from '../../../src/service/artifact/artifact-state.ts';
import type { Template } from '../../../src/service/template/template.ts';
import { judgeTrail, type TrailArtifact, type TrailJudgement } from '../../../src/service/trail/trail-state.ts';
import { sampleArtifact } from '../../support/service-samples.ts';

const piece = (name: string, level: Evidence['level'], type = 'junit', verdict: Verdict = 'compliant'): Evidence => ({
  name,
  level,
  type,
  verdict,
  reason: `it is ${verdict}`,
  faults: [],
});

const reported: ReportedArtifact = {
  ...{ org: 'acme', flow: 'web', id: 'a', createdAt: 1, reportedBy: 'ann' },
  report: sampleArtifact({ template_reference_name: 'web' }),
};
const unnamed: ReportedArtifact = { ...reported, report: sampleArtifact() };
const web = (...evidence: readonly Evidence[]): TrailArtifact => ({ name: 'web', reported, evidence });

const file: Template = {
  text: '',
  attestations: [{ name: 'unit', type: 'generic' }],
  artifacts: [{ name: 'web', attestations: [{ name: 'unit', type: 'junit' }] }],
};

const judge = (
  template: Template,
  evidence: readonly Evidence[],
  ...artifacts: readonly TrailArtifact[]
): TrailJudgement => judgeTrail({ applied: { owner: 'trail', template }, evidence, artifacts });

describe('the state of a trail with a template file', () => {
  const ofTrail = piece('unit', 'trail', 'generic');
  const ofWeb = piece('unit', 'artifact');

  it('counts what it does not require', () => {
    const bad = piece('lint', 'artifact', 'junit', 'non-compliant');
    const judged = judge(file, [ofTrail], web(ofTrail, ofWeb), {
      name: 'extra',
      reported: unnamed,
      evidence: [bad],
    });
    expect([judged.state, judged.info]).toEqual(['NON-COMPLIANT', 'extra.lint: it is non-compliant.']);
    expect(judged.artifacts.map(({ state, isRequired }) => [state, isRequired])).toEqual([
      ['COMPLIANT', true],
      ['NON-COMPLIANT', false],
    ]);
  });

  it('is not compliant if there are more artifacts than are judged', () => {
    const applied = { owner: 'flow', template: file } as const;
    const artifacts = [web(ofTrail, ofWeb)];
    expect(judgeTrail({ applied, evidence: [ofTrail], artifacts }).state).toBe('COMPLIANT');
    expect(judgeTrail({ applied, evidence: [ofTrail], artifacts, isComplete: false })).toMatchObject({
      state: 'INCOMPLETE',
      info: 'further artifacts: not judged, because there are too many reports or too much evidence; report them to another trail (limits of a trail).',
    });
  });

  it('judges an artifact by what the template requires of it and of the trail', () => {
    const judged = (name: string | undefined, ...evidence: readonly Evidence[]): Judgement =>
      judgeArtifact({
        applied: { owner: 'flow', template: file },
        artifact: { report: name === undefined ? {} : { template_reference_name: name } },
        evidence,
      });
    expect(judged('web', ofTrail, ofWeb)).toMatchObject({
      state: 'COMPLIANT',
      info: expect.not.stringContaining('not an'),
    });
    expect(judged('web', ofWeb).state).toBe('INCOMPLETE');
    expect(judged('web', ofTrail).state).toBe('INCOMPLETE');
    expect(judged('web', ofTrail, piece('unit', 'trail')).state).toBe('INCOMPLETE');
    const outside = 'It is not an artifact of the template of the flow, so only the evidence of its trail is required.';
    for (const name of ['extra', undefined]) {
      const info = expect.stringContaining(outside);
      expect(judged(name, ofTrail)).toMatchObject({ state: 'COMPLIANT', info });
    }
  });
});

describe('the state of a trail with a list', () => {
  const unit = piece('unit', 'trail');

  it('counts evidence of any level for each artifact', () => {
    expect(judge(['artifact', 'unit'], [unit], web(unit)).state).toBe('COMPLIANT');
    expect(judge(['artifact', 'unit'], [], web(piece('unit', 'artifact'))).state).toBe('COMPLIANT');
    expect(judge(['artifact', 'unit'], [], web())).toMatchObject({
      state: 'INCOMPLETE',
      info: 'web.unit: not recorded (template of the trail).',
    });
  });
});
