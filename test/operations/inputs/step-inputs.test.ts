import { describe, expect, it } from '@jest/globals';
import { commitStatus, onNonCompliant, summary, wait } from '../../../src/operations/inputs/step-inputs.ts';
import { expectInput } from '../../support/input-cases.ts';

describe.each([
  {
    input: onNonCompliant,
    name: 'on-non-compliant',
    good: [
      ['fail', 'fail'],
      ['warn', 'warn'],
      ['ignore', 'ignore'],
    ],
    bad: [
      ['pass', /must be `fail`, `warn` or `ignore`/u],
      ['FAIL', /must be `fail`, `warn` or `ignore`/u],
    ],
  },
  {
    input: summary,
    name: 'summary',
    good: [
      ['true', true],
      ['True', true],
      ['TRUE', true],
      ['false', false],
      ['False', false],
      ['FALSE', false],
    ],
    bad: [
      ['yes', /must be `true` or `false`/u],
      ['1', /must be `true` or `false`/u],
      ['tRUE', /must be `true` or `false`/u],
      ['constructor', /must be `true` or `false`/u],
    ],
  },
] as const)('the input $name', ({ input, name, good, bad }) => {
  it('has the name in action.yml', () => {
    expect(input.name).toBe(name);
  });

  it('accepts valid values, and refuses others with the rule and a remedy', () => {
    expectInput(input, { good, bad });
  });
});

describe('the input `wait`', () => {
  it.each([
    ['0', 0],
    ['600', 600],
    ['21600', 21_600],
  ])('takes %s seconds', (text, value) => {
    expect(wait.parse(text)).toEqual({ value });
  });

  it.each(['21601', '-1', '1.5', '10m', '1e3'])('refuses %j, and names the bounds', (text) => {
    expect(wait.parse(text)).toMatchObject({ problem: expect.stringMatching(/0.*21600/u) });
  });
});

describe('the context of a commit status', () => {
  it.each(['compliance', 'compliance/web (main)', 'Prüfung ✅', 'x'.repeat(255)])('may be %j', (text) => {
    expect(commitStatus.parse(text)).toEqual({ value: text });
  });

  it.each(['x'.repeat(256), 'two\nlines', 'rocket 🚀'])('must be what GitHub stores, not %j', (text) => {
    expect(commitStatus.parse(text)).toMatchObject({ problem: expect.stringContaining('at most 255 characters') });
  });
});
