import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reasonStates } from '../../../src/contract/reason.ts';
import { decideDeployment, type JudgedDeployment } from '../../../src/service/github/deployment-decision.ts';

type Artifacts = JudgedDeployment['flows'][number]['artifacts'];

const state = (all: readonly Artifacts[], now = 0): unknown => {
  const flows = all.map((artifacts, index) => ({ flow: `flow-${index}`, artifacts }));
  const deployment = { githubEnvironment: 'production', environment: 'prod', decideAt: 100, flows };
  return decideDeployment(deployment, now).state;
};

const reason = fc.record({ state: fc.constantFrom(...reasonStates), about: fc.string(), value: fc.string() });
const judged = { outcome: 'judged', name: 'web.tgz' } as const;
const compliant = fc.constant({ ...judged, compliant: true, reasons: [] } as const);
const artifact = fc.oneof(
  compliant,
  fc.array(reason).map((reasons) => ({ ...judged, compliant: false, reasons }) as const),
  fc.record({ outcome: fc.constantFrom('flow not found', 'artifact not found', 'environment not found') }),
);
const artifacts: fc.Arbitrary<Artifacts> = fc.oneof(
  fc.array(artifact, { maxLength: 3 }),
  fc.constantFrom('too many', 'uncounted'),
);
const flows = fc.array(artifacts, { minLength: 1, maxLength: 3 });

describe('the decision about a deployment', () => {
  it('is an approval only if each flow has an artifact, and all comply', () => {
    fc.assert(
      fc.property(flows, fc.constantFrom(0, 100), (all, now) => {
        const isGood = all.every(
          (one) =>
            typeof one !== 'string' &&
            one.length > 0 &&
            one.every((each) => each.outcome === 'judged' && each.compliant),
        );
        expect(state(all, now) === 'approved').toBe(isGood);
      }),
    );
  });

  it('is made after the wait, whatever is missing', () => {
    fc.assert(
      fc.property(flows, (all) => {
        expect(state(all, 100)).not.toBe(undefined);
      }),
    );
  });

  it('names the artifact of each reason, as a snapshot does', () => {
    const reasons = [{ state: 'missing', about: 'unit', value: 'not recorded' }] as const;
    const artifacts = ['web.tgz', 'api.tgz'].map((name) => ({ ...judged, name, compliant: false, reasons }));
    const unjudged = { state: 'incomplete', about: 'prod', value: 'has no policies' } as const;
    const comment = (all: Artifacts): readonly string[] => {
      const flows = [{ flow: 'web', artifacts: all }];
      const deployment = { githubEnvironment: 'production', environment: 'prod', decideAt: 100, flows };
      return decideDeployment(deployment, 100).comment.split('\n').slice(2);
    };
    expect(comment(artifacts)).toEqual(['- `unit of api.tgz: not recorded`', '- `unit of web.tgz: not recorded`']);
    const none = artifacts.map((one) => ({ ...one, reasons: [unjudged] }));
    expect(comment(none)).toEqual(['- `prod: has no policies`']);
  });

  it('never gets better by a further artifact that does not comply, or by a further flow', () => {
    const rank = ['rejected', 'undefined', 'approved'];
    fc.assert(
      fc.property(flows, artifacts, (all, more) => {
        expect(rank.indexOf(String(state([...all, more])))).toBeLessThanOrEqual(rank.indexOf(String(state(all))));
      }),
    );
  });
});
