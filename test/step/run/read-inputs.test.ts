import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { optional, required, withDefault, withFallback } from '../../../src/operations/inputs/input.ts';
import { integer, lines, oneOf, secret, text } from '../../../src/operations/inputs/input-types.ts';
import {
  fallbackVariable,
  inputText,
  readInputs,
  runnerInputs,
  unusedInputs,
} from '../../../src/step/run/read-inputs.ts';
import { inEnvironment } from '../../support/captured-output.ts';
import { inputSource } from '../../support/input-source.ts';

const org = withFallback(text('org'));

const uses = {
  flow: required(withFallback(text('flow'))),
  timeoutSeconds: withDefault(withFallback(integer('timeout', 1, 60, 'seconds')), 30),
  visibility: optional(oneOf('visibility', ['public', 'private'])),
};

describe('runnerInputs', () => {
  it('reads the inputs of the process as the runner sets them', async () => {
    const given = await inEnvironment({ 'INPUT_BASE-URL': ' https://a\n' }, () => runnerInputs({}).given('base-url'));
    expect(given).toBe(' https://a\n');
  });

  it('has the operation of an action that has only one, whatever the step gives', async () => {
    const given = await inEnvironment({ INPUT_OPERATION: 'get-artifact', INPUT_FLOW: 'web' }, () => {
      const source = runnerInputs({}, 'attest-junit');
      return [source.given('operation'), source.given('flow')];
    });
    expect(given).toEqual(['attest-junit', 'web']);
  });
});

describe('inputText', () => {
  it('reads the runner’s variable: the name in upper case, with dashes', () => {
    expect(inputText(inputSource({ 'INPUT_BASE-URL': 'https://a' }), text('base-url'))).toBe('https://a');
  });

  it('falls back to the variable of the job', () => {
    expect(fallbackVariable('api-token')).toBe('COMPLIANCE_API_TOKEN');
    expect(inputText(inputSource({ COMPLIANCE_API_TOKEN: 'key' }), withFallback(secret('api-token')))).toBe('key');
  });

  it('prefers `with:` to the variable', () => {
    expect(inputText(inputSource({ INPUT_ORG: 'acme', COMPLIANCE_ORG: 'other' }), org)).toBe('acme');
  });

  it('reads no variable for an input without a fallback, and says so if it is required', () => {
    const environment = { COMPLIANCE_TRAIL: 'release-1' };
    expect(inputText(inputSource(environment), text('trail'))).toBeUndefined();
    expect(readInputs(inputSource(environment), { trail: required(text('trail')) }).problems[0]?.remedy).toBe(
      'COMPLIANCE_TRAIL is not read. To use its value, write `trail: ${{ env.COMPLIANCE_TRAIL }}` under `with:`.',
    );
  });

  it('treats an empty or blank input as unset, because an unset secret is empty', () => {
    expect(inputText(inputSource({ INPUT_ORG: '', COMPLIANCE_ORG: 'other' }), org)).toBe('other');
    expect(inputText(inputSource({ INPUT_ORG: ' \n', COMPLIANCE_ORG: 'other' }), org)).toBe('other');
    expect(inputText(inputSource({ INPUT_ORG: '', COMPLIANCE_ORG: ' ' }), org)).toBeUndefined();
    expect(inputText(inputSource({}), org)).toBeUndefined();
  });

  it('trims white space, as @actions/core does', () => {
    expect(inputText(inputSource({ INPUT_ORG: '\n acme\t\n' }), org)).toBe('acme');
  });
});

describe('readInputs', () => {
  it('returns each input by its name in the code', () => {
    const environment = { INPUT_FLOW: 'web', INPUT_TIMEOUT: '5', INPUT_VISIBILITY: 'public' };
    expect(readInputs(inputSource(environment), uses)).toEqual({
      values: { flow: 'web', timeoutSeconds: 5, visibility: 'public' },
      problems: [],
    });
  });

  it('uses the default, or undefined if there is none', () => {
    expect(readInputs(inputSource({ INPUT_FLOW: 'web', INPUT_TIMEOUT: '' }), uses).values).toEqual({
      flow: 'web',
      timeoutSeconds: 30,
      visibility: undefined,
    });
  });

  it('reports all problems at once, each with input, rule and remedy', () => {
    const { problems } = readInputs(inputSource({ COMPLIANCE_TIMEOUT: '5m', INPUT_VISIBILITY: 'open' }), uses);
    expect(problems).toEqual([
      {
        input: 'flow',
        what: '`flow` is required but missing or empty',
        remedy: 'Set it under `with:`, or set COMPLIANCE_FLOW in `env:`; an unset variable or secret counts as empty.',
      },
      {
        input: 'timeout',
        what: '`timeout` must be a whole number of seconds from 1 to 60, but is "5m" (from COMPLIANCE_TIMEOUT)',
        remedy: 'Write digits only, without a unit.',
      },
      {
        input: 'visibility',
        what: '`visibility` must be `public` or `private`, but is "open"',
        remedy: 'Write `public` or `private`.',
      },
    ]);
  });

  it('quotes only the invalid line of a list, with control characters escaped', () => {
    const { problems } = readInputs(inputSource({ INPUT_PARTS: 'a\nb\u001B[2J\nc' }), {
      parts: required(lines(oneOf('parts', ['a']))),
    });
    expect(problems[0]?.what).toBe('`parts` must be `a`, but is "b\\u001b[2J"');
  });

  it.each([
    ['at the beginning', '\na\nb\n', 'line 1 of 3'],
    ['in the middle', 'a\n\nb\n', 'line 2 of 3'],
    ['at the end', 'a\nb\n\n', 'line 3 of 3'],
  ])('finds the empty line of an unset variable in a list %s', (_where, given, line) => {
    const list = { parts: required(lines(text('parts'))) };
    expect(readInputs(inputSource({ INPUT_PARTS: given }), list).problems[0]?.what).toBe(
      `\`parts\` must have an item on every line, but ${line} is empty`,
    );
  });

  it('treats a blank list as unset, like any other input', () => {
    const list = { parts: required(withFallback(lines(text('parts')))) };
    expect(readInputs(inputSource({ INPUT_PARTS: '\n \n', COMPLIANCE_PARTS: 'a\n' }), list).values).toEqual({
      parts: ['a'],
    });
    expect(readInputs(inputSource({ INPUT_PARTS: '\n \n' }), list).problems[0]?.what).toContain('is required');
  });

  it('never quotes a secret', () => {
    const malformed = fc.tuple(
      fc.stringMatching(/^[a-z]{8,20}$/u),
      fc.constantFrom(' ', '\n', '\u200B', 'ö', '\u0000'),
    );
    fc.assert(
      fc.property(malformed, ([half, between]) => {
        const environment = { INPUT_KEY: half + between + half };
        const { problems } = readInputs(inputSource(environment), {
          key: required(secret('key')),
          keys: optional(lines(secret('key'))),
        });
        expect(problems[0]).toHaveProperty('input', 'key');
        expect(JSON.stringify(problems)).not.toContain(half);
      }),
    );
  });
});

describe('unusedInputs', () => {
  it('names inputs that are set under `with:` but not used', () => {
    const environment = { 'INPUT_SONAR-TOKEN': 'x', INPUT_FLOW: 'web', INPUT_TRAIL: '', INPUT_ORG: ' ', PATH: '/bin' };
    expect(unusedInputs(inputSource(environment), ['flow'])).toEqual(['sonar-token']);
  });

  it('ignores variables that a job sets for all its steps', () => {
    expect(unusedInputs(inputSource({ COMPLIANCE_SONAR_TOKEN: 'x' }), ['flow'])).toEqual([]);
  });
});
