import { describe, expect, it } from '@jest/globals';
import { interval, reverse, snapshot1, snapshot2 } from '../../../src/operations/inputs/environment-inputs.ts';
import { expectInput } from '../../support/input-cases.ts';

const same = (...texts: readonly string[]): readonly (readonly [string, string])[] =>
  texts.map((text) => [text, text] as const);

describe('the inputs of snapshots', () => {
  it('have the names that a workflow author types', () => {
    expect([snapshot1, snapshot2, interval, reverse].map(({ name }) => name)).toEqual([
      'snapshot-1',
      'snapshot-2',
      'interval',
      'reverse',
    ]);
  });

  it.each([snapshot1, snapshot2])('take expressions that select a snapshot for $name', (input) => {
    expectInput(input, {
      good: same(
        'prod',
        'prod#12',
        'prod~1',
        'prod3',
        'prod-eu.1_a',
        'prod@{2026-10-02T12:00:00}',
        'prod@{2.hours.ago}',
      ),
      bad: [
        ['prod#0', /must select a snapshot: after # there must be the number/u],
        ['prod#', /after #/u],
        ['prod~x', /after ~/u],
        ['prod@{soon}', /after @/u],
        ['prod@{2026-02-30}', /after @/u],
        ['#3', /name of an environment/u],
        ['a b', /name of an environment/u],
      ],
    });
  });

  it('accept an interval with or without the environment', () => {
    expectInput(interval, {
      good: same('3..7', '#3..#7', '~5..NOW', '@{2.days.ago}..now', 'prod#3..prod#7'),
      bad: [
        ['3', /must be an interval of snapshots: it must be two snapshots/u],
        ['3..', /neither a number/u],
        ['1..2..3', /two snapshots/u],
        ['0..3', /neither a number/u],
      ],
    });
  });
});
