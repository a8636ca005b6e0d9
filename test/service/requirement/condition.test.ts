import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ConditionSubject, holds } from '../../../src/service/requirement/condition.ts';
import { ConditionError, parseCondition } from '../../../src/service/requirement/parse-condition.ts';

const fingerprint = 'a'.repeat(64);
const subject: ConditionSubject = {
  artifact: { name: 'registry.example.com/web:1.2', fingerprint },
  flow: { name: 'web', tags: { 'risk-level': 'high', team: "o'hara" } },
};
const unknown: ConditionSubject = { artifact: subject.artifact };
const says = (text: string, of = subject): boolean => holds(parseCondition(`\${{ ${text} }}`), of);

describe('a condition', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['flow.name == "web"', true],
    ["flow.name == 'web'", true],
    ['flow.name != "web"', false],
    ['flow.tags.risk-level == "high"', true],
    ['flow.tags.team == "o\'hara"', true],
    ["flow.tags.team == 'o\\'hara'", true],
    ['flow.name < "wec" and flow.name > "wea"', true],
    ['flow.name <= "web" and flow.name >= "web"', true],
    ['1 < 2.5 and -1 < 0', true],
    ['flow.name < 5', false],
    ['flow.name == 5', false],
    ['"1" == 1', false],
    ['true == true', true],
    ['flow.name in ["api", "web"]', true],
    ['flow.name not in ["api", "web"]', false],
    ['flow.name in []', false],
    ['not flow.name == "api"', true],
    ['not not flow.name == "web"', true],
    ['true or false and false', true],
    ['(true or false) and false', false],
    ['not (true and false)', true],
    ['not true or true', true],
    ['exists(flow)', true],
    ['exists(flow.tags)', true],
    ['exists(flow.tags.team)', true],
    ['exists(flow.tags.other)', false],
    ['exists(flow.tags.constructor)', false],
    ['exists(artifact)', true],
    ['matches(artifact.name, "^registry\\.example\\.com/")', true],
    ['matches(artifact.name, "^web")', false],
    ['matches(artifact.fingerprint, "^[a-f0-9]{64}$")', true],
    ['matches("web", "e")', true],
    ['matches(5, "5")', false],
  ])('%s is %s', (text, expected) => {
    expect(says(text)).toBe(expected);
  });

  it.each([
    ['exists(flow)', false],
    ['flow.name == "web"', false],
    ['flow.name != "web"', true],
    ['flow.name == flow.name', false],
    ['flow.name in ["web"]', false],
    ['flow.name in [flow.name]', false],
    ['flow.name not in ["web"]', true],
    ['matches(flow.name, "")', false],
    ['flow.name < "x"', false],
  ])('%s is %s of an unreported artifact', (text, expected) => {
    expect(says(text, unknown)).toBe(expected);
  });

  it.each([
    ['flow.name == "web"', 'must be enclosed in `${{` and `}}`'],
    ['${{ }}', 'expects a text in quotes'],
    ['${{ flow.name }}', 'expects a comparison such as `==` or `in` at its end'],
    ['${{ flow == "web" }}', 'at "flow"'],
    ['${{ flow.title == "web" }}', 'at "flow.title"'],
    ['${{ "a" }}', 'expects a comparison'],
    ['${{ flow.name == }}', 'at its end'],
    ['${{ flow.name == "web }}', 'cannot be read from character 15, at "\\"web '],
    ['${{ flow.name = "web" }}', 'cannot be read from'],
    ['${{ true true }}', 'expects `and`, `or` or the end at "true"'],
    ['${{ (true }}', 'expects `)` at its end'],
    ['${{ exists(web) }}', 'expects `flow`, `flow.tags`, `artifact`'],
    ['${{ exists flow }}', 'expects `(` at "flow"'],
    ['${{ matches(flow.name, flow.name) }}', 'expects a pattern in quotes at "flow.name"'],
    ['${{ matches(flow.name, "(") }}', 'has the pattern "(", which is not RE2 syntax: missing closing ): `(`'],
    ['${{ flow.name not "web" }}', 'expects `in` after `not`'],
    ['${{ flow.name in "web" }}', 'expects `[`'],
    ['${{ flow.name in ["a" "b"] }}', 'expects `,` at "b"'],
    [`\${{ "${'a'.repeat(1000)}" == "a" }}`, 'has more than 1000 characters'],
  ])('cannot be %s', (text, reason) => {
    expect(() => parseCondition(text)).toThrow(ConditionError);
    expect(() => parseCondition(text)).toThrow(reason);
  });

  it('is parsed or rejected, whatever it is', () => {
    const word = fc.constantFrom(
      ...'flow.name|artifact.name|"a"|1|true|and|or|not|in|(|)|[|]|,|==|<|exists|matches|flow|"'.split('|'),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        try {
          expect(typeof says(words.join(' '))).toBe('boolean');
        } catch (error) {
          expect(error).toBeInstanceOf(ConditionError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('means the same as the equivalent JavaScript', () => {
    const { condition } = fc.letrec<{ condition: readonly [text: string, script: boolean] }>((tie) => ({
      condition: fc.oneof(
        { depthSize: 'small' },
        fc.boolean().map((value) => [String(value), value] as const),
        fc
          .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }))
          .map(([one, other]) => [`${one} <= ${other}`, one <= other] as const),
        tie('condition').map(([text, value]) => [`not (${text})`, !value] as const),
        fc
          .tuple(tie('condition'), tie('condition'))
          .map(([one, other]) => [`(${one[0]}) and (${other[0]})`, one[1] && other[1]] as const),
        fc
          .tuple(tie('condition'), tie('condition'))
          .map(([one, other]) => [`(${one[0]}) or (${other[0]})`, one[1] || other[1]] as const),
      ),
    }));
    fc.assert(
      fc.property(
        condition.filter(([text]) => text.length < 900),
        ([text, value]) => {
          expect(says(text)).toBe(value);
        },
      ),
    );
  });

  it('compares any strings as they are', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), fc.string({ maxLength: 50 }), (name, other) => {
        const quoted = `"${other.replace(/["\\]/g, '\\$&')}"`;
        const of: ConditionSubject = { artifact: { name, fingerprint } };
        expect(says(`artifact.name == ${quoted}`, of)).toBe(name === other);
        expect(says(`artifact.name < ${quoted}`, of)).toBe(name < other);
      }),
    );
  });
});
