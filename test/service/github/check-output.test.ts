import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ArtifactState, artifactStates } from '../../../src/contract/compliance.ts';
import { reasonStates } from '../../../src/contract/reason.ts';
import {
  type CheckOutput,
  type CommitVerdict,
  toCheckOutput,
  toDeploymentComment,
} from '../../../src/service/github/check-output.ts';
import { PagePaths } from '../../../src/service/platform/page-paths.ts';

const pages = new PagePaths(() => 'https://compliance.example.com');
const inFlow = { org: 'acme', flow: 'web', required: [] };

type JudgedTrail = CommitVerdict['trails'][number];

const check = (verdict: Partial<CommitVerdict>): CheckOutput =>
  toCheckOutput({ ...inFlow, trails: [], ...verdict }, pages);
const trail = (
  state: ArtifactState,
  reasons: JudgedTrail['judgement']['reasons'] = [],
  name = 'main',
): JudgedTrail => ({
  name,
  judgement: { state, info: `it is ${state}`, reasons },
});
const failed = {
  state: 'failed',
  ...{ about: 'sonar', rule: 'quality gate', value: 'new_coverage is 61.2' },
  ...{ limit: 'at least 80 is required', source: { evidence: { flow: 'web', trail: 'main', attestation: 'a1' } } },
} as const;
const missing = { state: 'missing', about: 'web.unit', value: 'not recorded', rule: 'template of the flow' } as const;

describe('what a check says', () => {
  it('has the reasons of the verdict, with links to the evidence', () => {
    expect(check({ trails: [trail('NON-COMPLIANT', [failed, missing])] })).toEqual({
      status: 'completed',
      conclusion: 'failure',
      details_url: 'https://compliance.example.com/acme/flows/web/trails/main#evidence-sonar',
      output: {
        title: 'sonar: new_coverage is 61.2; at least 80 is required (quality gate) (and 1 more)',
        summary: [
          'The trail `main` of the flow `web` is NON-COMPLIANT.',
          '',
          '- [`sonar`](https://compliance.example.com/acme/flows/web/trails/main/attestations/a1): ' +
            '`new_coverage is 61.2; at least 80 is required (quality gate)`',
          '- `web.unit`: `not recorded (template of the flow)`',
        ].join('\n'),
      },
    });
  });

  it('says what is required of a trail that has not begun', () => {
    expect(check({ required: [missing] })).toEqual({
      status: 'in_progress',
      conclusion: undefined,
      details_url: 'https://compliance.example.com/acme/flows/web',
      output: {
        title: 'the trail has not begun',
        summary: [
          'The trail of this commit in the flow `web` has not begun. It requires:',
          '',
          '- `web.unit`: `not recorded (template of the flow)`',
        ].join('\n'),
      },
    });
  });

  it('is a success only if every trail of the commit is compliant', () => {
    const text = check({ trails: [trail('COMPLIANT'), trail('INCOMPLETE', [missing], 'other')] });
    expect([text.status, text.details_url]).toEqual([
      'in_progress',
      'https://compliance.example.com/acme/flows/web/trails/other#evidence-web.unit',
    ]);
    expect(text.output.summary).toContain('2 trails have this commit; the worst counts.');
    const states = fc.array(fc.constantFrom(...artifactStates), { maxLength: 4 });
    fc.assert(
      fc.property(states, (all) => {
        const { status, conclusion } = check({ trails: all.map((state) => trail(state)) });
        const isRed = all.includes('NON-COMPLIANT');
        const isGreen = all.length > 0 && all.every((state) => state === 'COMPLIANT');
        expect(conclusion).toBe(isRed ? 'failure' : isGreen ? 'success' : undefined);
        expect(status).toBe(conclusion === undefined ? 'in_progress' : 'completed');
      }),
    );
  });

  // Nothing of a code span is interpreted, and only a backtick or a blank line ends it.
  const safeLine = /^(?:- (?:and \d+ more|(?:`[^`]+`|\[`[^`]+`\]\([^\s()]+\))(?:: `[^`]+`)?)|`[^`]+`|)$/u;
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.string({ unit: fc.constantFrom('`', '[', ']', '(', '\n', '\r', '\u2028', '\0', '<', '@a', '中', ' ', '![') }),
    fc.constant('中'.repeat(5000)),
  );
  const anyReason = fc.record({
    state: fc.constantFrom(...reasonStates),
    about: hostile,
    value: hostile,
    limit: hostile,
    description: hostile,
    // What is missing is linked to its row on the page of the trail.
    source: fc.constantFrom({ evidence: { flow: 'web', trail: 'main' } }, {}),
  });
  const manyReasons = fc
    .tuple(fc.array(anyReason, { minLength: 1, maxLength: 20 }), fc.constantFrom(1, 30))
    .map(([reasons, times]) => Array.from({ length: times }, () => reasons).flat());

  it('escapes everything that others wrote, and is never too long', () => {
    fc.assert(
      fc.property(manyReasons, hostile, (reasons, info) => {
        const judged = { name: 'main', judgement: { state: 'INCOMPLETE', info, reasons } } as const;
        const compliant = { name: 'main', judgement: { state: 'COMPLIANT', info, reasons: [] } } as const;
        for (const { details_url, output } of [check({ trails: [judged] }), check({ trails: [compliant] })]) {
          expect(details_url.length).toBeLessThan(1000);
          const [, ...lines] = output.summary.split('\n');
          expect(lines.filter((line) => !safeLine.test(line))).toEqual([]);
          expect(Buffer.byteLength(output.summary)).toBeLessThanOrEqual(65_535);
          expect(output.title.length).toBeLessThanOrEqual(200);
        }
        const comment = toDeploymentComment('Rejected.', reasons);
        expect(
          comment
            .split('\n')
            .slice(1)
            .filter((line) => !safeLine.test(line)),
        ).toEqual([]);
        expect(Buffer.byteLength(comment)).toBeLessThanOrEqual(1024);
      }),
    );
  });
});
