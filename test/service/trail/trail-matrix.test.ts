import { describe, expect, it } from '@jest/globals';
import type { Verdict } from '../../../src/contract/compliance.ts';
import type { Evidence } from '../../../src/service/artifact/artifact-state.ts';
import type { Template } from '../../../src/service/template/template.ts';
import { listColumns, type MatrixRow, toMatrixRow } from '../../../src/service/trail/trail-matrix.ts';
import { judgeTrail, type TrailArtifact } from '../../../src/service/trail/trail-state.ts';
import { sampleArtifact } from '../../support/service-samples.ts';

const piece = (name: string, level: Evidence['level'], verdict: Verdict = 'compliant'): Evidence => ({
  ...{ name, level, verdict, type: 'junit', reason: '', faults: [] },
});

const reported = (name: string, ...evidence: readonly Evidence[]): TrailArtifact => ({
  name,
  reported: {
    ...{ org: 'acme', flow: 'web', id: 'a', createdAt: 1, reportedBy: 'ann' },
    report: sampleArtifact({ template_reference_name: name }),
  },
  evidence,
});

const rowOf = (
  template: Template,
  evidence: readonly Evidence[],
  ...artifacts: readonly TrailArtifact[]
): MatrixRow<Evidence> => {
  const applied = { owner: 'flow', template } as const;
  return toMatrixRow({ applied, judgement: judgeTrail({ applied, evidence, artifacts }) });
};

const states = (row: MatrixRow<Evidence>): unknown =>
  Object.fromEntries([...row.cells].map(([column, { state }]) => [column, state]));

describe('the row of a trail', () => {
  const file: Template = {
    text: '',
    attestations: [{ name: 'review', type: '*' }],
    artifacts: [{ name: 'web', attestations: [{ name: 'unit', type: 'junit' }] }],
  };

  it('has a cell for each name of a template file, and what is not required as extra', () => {
    const [review, unit] = [piece('review', 'trail', 'incomplete'), piece('web.unit', 'artifact', 'non-compliant')];
    const scan = piece('web.scan', 'artifact');
    const row = rowOf(file, [review], reported('web', review, unit, scan));
    expect(states(row)).toEqual({ review: 'incomplete', web: 'compliant', 'web.unit': 'non-compliant' });
    expect(row.cells.get('web.unit')?.evidence).toEqual([unit]);
    expect(row.extra).toEqual([scan]);
  });

  it('has the extra evidence that decides the state first', () => {
    const [good, open, bad] = [
      piece('manual', 'trail'),
      piece('scan', 'trail', 'incomplete'),
      piece('web.lint', 'artifact', 'non-compliant'),
    ];
    expect(rowOf(file, [good, open], reported('web', bad)).extra).toEqual([bad, open, good]);
  });

  it('shows what is missing: evidence, and artifacts', () => {
    const row = rowOf(file, [], { ...reported('web'), reported: undefined });
    expect(states(row)).toEqual({ review: 'missing', web: 'missing', 'web.unit': 'missing' });
  });

  it('takes the worst of all artifacts if the template is a list', () => {
    const [good, bad] = [piece('unit', 'artifact'), piece('unit', 'artifact', 'non-compliant')];
    const row = rowOf(['artifact', 'unit', 'sonar'], [], reported('one', good), reported('two', bad));
    expect(states(row)).toEqual({ artifact: 'compliant', unit: 'non-compliant', sonar: 'missing' });
    expect(row.cells.get('unit')?.evidence).toEqual([bad]);
    expect(rowOf(['unit'], [], reported('one', good), reported('two', good)).cells.get('unit')?.evidence).toEqual([
      good,
    ]);
    expect(states(rowOf(['artifact', 'unit'], []))).toMatchObject({ unit: 'missing' });
  });

  it('names the columns in the order in which they first appear', () => {
    const rows = [rowOf(['unit'], []), rowOf(['sonar', 'unit'], [])];
    expect(listColumns(rows)).toEqual(['unit', 'sonar']);
  });
});
