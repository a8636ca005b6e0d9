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
const missing = (...evidence: readonly Evidence[]): TrailArtifact => ({ ...web(...evidence), reported: undefined });

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

  it('is COMPLIANT if the trail and each artifact have their evidence', () => {
    const { state, info } = judge(file, [ofTrail], web(ofTrail, ofWeb));
    expect([state, info]).toEqual(['COMPLIANT', 'All evidence is compliant: unit, web.unit.']);
  });

  it.each<[string, readonly Evidence[], readonly Evidence[], string]>([
    [
      'evidence of the trail does not count for the artifact',
      [ofTrail],
      [ofTrail],
      'web.unit: not recorded; junit is required',
    ],
    ['evidence of the artifact does not count for the trail', [], [ofWeb], 'unit: not recorded; generic is required'],
    ['the type is another', [piece('unit', 'trail', 'sonar')], [ofWeb], 'unit: recorded as sonar; generic is required'],
  ])('is INCOMPLETE because %s', (_why, evidence, own, reason) => {
    const { state, info } = judge(file, evidence, web(...evidence, ...own));
    expect([state, info]).toEqual(['INCOMPLETE', `${reason} (template of the trail).`]);
  });

  it('is INCOMPLETE as long as an artifact of the template is missing, whatever was said about it', () => {
    const { state, info, artifacts } = judge(file, [ofTrail], missing(ofTrail, ofWeb));
    expect([state, info]).toEqual(['INCOMPLETE', 'web: not reported (template of the trail).']);
    expect(artifacts).toMatchObject([{ state: 'MISSING', evidence: [{ name: 'unit', evidence: ofWeb }] }]);
  });

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

  it('judges an artifact by what the template requires of it and of the trail', () => {
    const judged = (name: string | undefined, ...evidence: readonly Evidence[]): Judgement =>
      judgeArtifact({
        applied: { owner: 'flow', template: file },
        artifact: { report: name === undefined ? {} : { template_reference_name: name } },
        evidence: evidence.map((each) => ({
          ...each,
          org: '',
          flow: '',
          trail: '',
          id: '',
          createdAt: 1,
          reportedBy: '',
        })),
      });
    expect(judged('web', ofTrail, ofWeb)).toMatchObject({
      state: 'COMPLIANT',
      info: expect.not.stringContaining('not an'),
    });
    expect(judged('web', ofWeb).state).toBe('INCOMPLETE');
    expect(judged('web', ofTrail).state).toBe('INCOMPLETE');
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

  it('is INCOMPLETE without an artifact if the list has one', () => {
    const none: TrailArtifact = { name: 'artifact', reported: undefined, evidence: [unit] };
    expect(judge(['artifact', 'unit'], [unit], none)).toMatchObject({
      state: 'INCOMPLETE',
      info: 'artifact: not reported (template of the trail).',
    });
  });

  it('needs the evidence of the list without an artifact, too', () => {
    expect(judge(['unit'], []).state).toBe('INCOMPLETE');
    expect(judge(['unit'], [unit]).state).toBe('COMPLIANT');
    expect(judge([], []).state).toBe('COMPLIANT');
  });
});
