import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeFault } from '../../../src/contract/reason.ts';
import type { Evidence } from '../../../src/service/artifact/artifact-state.ts';
import type { Facts } from '../../../src/service/attestation/facts.ts';
import { compileRequirement, findConditionFault } from '../../../src/service/requirement/requirement.ts';

const piece = (facts: Facts | undefined, more: Partial<Evidence> = {}): Evidence => ({
  ...{ name: 'sonar', type: 'sonar', level: 'trail', verdict: 'compliant', reason: 'fine', faults: [], facts },
  ...more,
});
const apply = (condition: string, facts: Facts | undefined): Evidence =>
  compileRequirement({ require: `\${{ ${condition} }}` })(piece(facts));

describe('a condition on evidence', () => {
  const facts = { new_coverage: 61.2, bugs: 0, quality_gate: 'OK', is_compliant: true, licenses: ['MIT'] };

  it.each([
    'evidence.new_coverage >= 60',
    'evidence.bugs == 0 and evidence.quality_gate == "OK"',
    'evidence.quality_gate in ["OK", "WARN"]',
    'evidence.is_compliant == true',
    'not exists(evidence.duplication) or evidence.duplication < 3',
    'exists(evidence.licenses)',
    'evidence.bugs == 0 or evidence.unknown == 1',
  ])('%s is met', (condition) => {
    const given = piece(facts);
    expect(compileRequirement({ require: `\${{ ${condition} }}` })(given)).toBe(given);
  });

  it.each([
    ['evidence.new_coverage >= 80', 'new_coverage is 61.2; evidence.new_coverage >= 80 is required'],
    [
      'evidence.bugs > 0 and evidence.quality_gate != "OK"',
      'bugs is 0, quality_gate is OK; evidence.bugs > 0 and evidence.quality_gate != "OK" is required',
    ],
    ['evidence.unknown == 1', 'unknown is not known; evidence.unknown == 1 is required'],
    ['evidence.unknown != 1', 'unknown is not known; evidence.unknown != 1 is required'],
    ['not evidence.unknown == 1', 'unknown is not known; not evidence.unknown == 1 is required'],
    ['not (evidence.unknown in [1])', 'unknown is not known; not (evidence.unknown in [1]) is required'],
    ['evidence.licenses == "MIT"', 'licenses is a list; evidence.licenses == "MIT" is required'],
    ['"WARN" in [evidence.quality_gate]', 'quality_gate is OK; "WARN" in [evidence.quality_gate] is required'],
    ['exists(evidence.unknown)', 'unknown is not known; exists(evidence.unknown) is required'],
    ['not exists(evidence.licenses)', 'licenses is a list; not exists(evidence.licenses) is required'],
    ['evidence.constructor != 1', 'constructor is not known; evidence.constructor != 1 is required'],
    ['evidence.new_coverage == "61.2"', 'new_coverage is 61.2; evidence.new_coverage == "61.2" is required'],
    ['false', 'the condition never holds; false is required'],
  ])('%s is not met', (condition, words) => {
    const judged = apply(condition, facts);
    expect(judged.verdict).toBe('non-compliant');
    expect(judged.faults.map(describeFault)).toEqual([words]);
  });

  it('is not met by evidence of an earlier version, which has no facts', () => {
    expect(apply('evidence.bugs == 0', undefined).faults.map(describeFault)).toEqual([
      'recorded by an earlier version, which kept no facts; evidence.bugs == 0 is required',
    ]);
  });

  it.each([
    ['evidence.bugs', 'must be enclosed in `${{` and `}}`'],
    ['${{ evidence.bugs }}', 'expects a comparison such as `==` or `in` at its end'],
    ['${{ flow.name == "web" }}', 'expects a text in quotes, a number, `evidence.<fact>` at "flow.name"'],
    ['${{ exists(evidence) }}', 'expects `evidence.<fact>` at "evidence"'],
    ['${{ matches(evidence.name, "x") }}', 'expects a text in quotes, a number, `evidence.<fact>` at "matches"'],
  ])('%s is refused', (text, fault) => {
    expect(findConditionFault(text)).toBe(fault);
  });

  it.each([
    [{ high: 0, medium: 9, low: 9 }, 'compliant'],
    [{ critical: 0, high: 0, medium: 1, low: 0 }, 'compliant'],
    [{ critical: 1, high: 0, medium: 0, low: 0 }, 'non-compliant'],
    [{ high: 1, medium: 0, low: 0 }, 'non-compliant'],
  ])('of a scan is the default threshold unless there is another: %j is %s', (found, verdict) => {
    const scan = piece(found, { type: 'snyk' });
    expect(compileRequirement({})(scan).verdict).toBe(verdict);
    expect(compileRequirement({ require: '${{ evidence.low < 10 }}' })(scan).verdict).toBe('compliant');
    expect(compileRequirement({}, undefined, false)(scan)).toBe(scan);
  });

  it('never makes evidence better, and leaves its own faults', () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.constantFrom('a', 'b'));
    const condition = fc
      .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('==', '!=', '<', '>='), fc.nat(3), fc.boolean())
      .map(([fact, sign, number, isNegated]) => `${isNegated ? 'not ' : ''}evidence.${fact} ${sign} ${number}`);
    const verdict = fc.constantFrom('compliant' as const, 'non-compliant' as const, 'incomplete' as const);
    const known = fc.dictionary(fc.constantFrom('a', 'b'), value);
    fc.assert(
      fc.property(known, condition, verdict, (facts, text, own) => {
        const given = piece(facts, { verdict: own, faults: [{ value: 'its own' }] });
        const judged = compileRequirement({ require: `\${{ ${text} }}` })(given);
        if (judged === given) return;
        expect([judged.verdict, judged.faults.length]).toEqual(['non-compliant', 2]);
      }),
    );
  });
});
