import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Verdict } from '../../../src/contract/compliance.ts';
import { artifactRequirements } from '../../../src/service/domain/template/template.ts';
import {
  compareEvidence,
  judge as judgeStatuses,
  type Evidence,
  type Judgement,
} from '../../../src/service/domain/artifact-state.ts';

const piece = (name: string, verdict: Verdict): Evidence => ({
  ...{ name, verdict, type: 'sonar', level: 'artifact' },
  reason: `it is ${verdict}`,
});

/** Judges by a list template. */
const judge = (required: readonly string[], evidence: readonly Evidence[]): Judgement =>
  judgeStatuses(compareEvidence(artifactRequirements(required, undefined), evidence), 'flow');

describe('the state of an artifact', () => {
  it.each<[string, readonly string[], readonly Evidence[], string, string]>([
    [
      'all required evidence is compliant',
      ['sonar', 'unit'],
      [piece('unit', 'compliant'), piece('sonar', 'compliant')],
      'COMPLIANT',
      'All evidence is compliant: sonar, unit.',
    ],
    [
      'required evidence is missing',
      ['sonar', 'unit'],
      [piece('unit', 'compliant')],
      'INCOMPLETE',
      'Required by the template of the flow and not reported: sonar.',
    ],
    [
      'required evidence is non-compliant and other evidence is missing',
      ['sonar', 'unit'],
      [piece('sonar', 'non-compliant')],
      'NON-COMPLIANT',
      'Not compliant: sonar (it is non-compliant). Required by the template of the flow and not reported: unit.',
    ],
    [
      'evidence that is not required is non-compliant',
      [],
      [piece('extra', 'non-compliant')],
      'NON-COMPLIANT',
      'Not compliant: extra (it is non-compliant).',
    ],
    [
      'evidence proves neither',
      ['sonar'],
      [piece('sonar', 'incomplete')],
      'INCOMPLETE',
      'Neither compliant nor non-compliant: sonar (it is incomplete).',
    ],
    [
      'nothing is required and what was reported is compliant',
      [],
      [piece('sonar', 'compliant')],
      'COMPLIANT',
      'All evidence is compliant: sonar. The template of the flow requires none.',
    ],
    [
      'nothing is required and nothing was reported',
      [],
      [],
      'COMPLIANT',
      'The template of the flow requires no evidence, and none was reported.',
    ],
  ])('when %s', (_situation, required, evidence, state, info) => {
    expect(judge(required, evidence)).toEqual({ state, info });
  });
});

const name = fc.constantFrom('sonar', 'unit', 'lint', '__proto__', 'constructor');
const names = fc.uniqueArray(name);
const verdict = fc.constantFrom<Verdict>('compliant', 'non-compliant', 'incomplete');
const evidence = fc
  .uniqueArray(fc.tuple(name, verdict), { selector: ([unique]) => unique })
  .map((pieces) => pieces.map(([of, is]) => piece(of, is)));
const rank = { COMPLIANT: 0, INCOMPLETE: 1, 'NON-COMPLIANT': 2 };

describe('the state of any artifact', () => {
  it('does not depend on the order of requirements and evidence, and neither does its reason', () => {
    fc.assert(
      fc.property(names, evidence, (required, pieces) => {
        expect(judge(required.toReversed(), pieces.toReversed())).toEqual(judge(required, pieces));
      }),
    );
  });

  it('is never better because more is required', () => {
    fc.assert(
      fc.property(names, name, evidence, (required, more, pieces) => {
        const [before, after] = [judge(required, pieces), judge([...required, more], pieces)];
        expect(rank[after.state]).toBeGreaterThanOrEqual(rank[before.state]);
      }),
    );
  });

  it('is never better because a piece of evidence is worse', () => {
    const worse = { compliant: 'incomplete', incomplete: 'non-compliant', 'non-compliant': 'non-compliant' } as const;
    fc.assert(
      fc.property(names, evidence, fc.nat(), (required, pieces, index) => {
        const [before, after] = [
          judge(required, pieces),
          judge(
            required,
            pieces.map((each, at) =>
              at === index % (pieces.length || 1) ? piece(each.name, worse[each.verdict]) : each,
            ),
          ),
        ];
        expect(rank[after.state]).toBeGreaterThanOrEqual(rank[before.state]);
      }),
    );
  });

  it('is compliant only if all required evidence is there and all evidence is compliant', () => {
    fc.assert(
      fc.property(names, evidence, (required, pieces) => {
        const clean = pieces.every((each) => each.verdict === 'compliant');
        const whole = required.every((each) => pieces.some((reported) => reported.name === each));
        expect(judge(required, pieces).state === 'COMPLIANT').toBe(clean && whole);
      }),
    );
  });
});
