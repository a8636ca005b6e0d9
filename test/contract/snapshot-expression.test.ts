import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  parseSnapshotExpression,
  parseSnapshotInterval,
  type SnapshotReading,
} from '../../src/contract/snapshot-expression.ts';

const readingsOf = (text: string): readonly SnapshotReading[] => {
  const parsed = parseSnapshotExpression(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.readings;
};
const latest = (environment: string): SnapshotReading => ({ environment, selector: { kind: 'latest' } });
const behind = (environment: string, count: number): SnapshotReading => ({
  environment,
  selector: { kind: 'behind', count },
});

describe('a snapshot expression', () => {
  it.each<[string, SnapshotReading[]]>([
    ['prod', [latest('prod')]],
    ['prod#3', [{ environment: 'prod', selector: { kind: 'number', number: 3 } }]],
    ['prod~3', [behind('prod', 3)]],
    ['prod3', [latest('prod3'), behind('prod', 3)]],
    ['prod12', [latest('prod12'), behind('prod1', 2), behind('prod', 12)]],
    ['7', [latest('7')]],
    ['77', [latest('77'), behind('7', 7)]],
    ['eu-1.prod_2', [latest('eu-1.prod_2'), behind('eu-1.prod_', 2)]],
    ['prod@{2023-10-02T12:00:00}', [{ environment: 'prod', selector: { kind: 'time', time: 1_696_248_000 } }]],
    ['prod@{2.hours.ago}', [{ environment: 'prod', selector: { kind: 'ago', seconds: 7200 } }]],
    ['prod@{1.week.ago}', [{ environment: 'prod', selector: { kind: 'ago', seconds: 604_800 } }]],
  ])('%s is read', (text, readings) => {
    expect(readingsOf(text)).toEqual(readings);
  });

  it.each([
    '',
    '#1',
    '-prod',
    'prod#',
    'prod#0',
    'prod#-1',
    'prod#1x',
    'prod~',
    'prod~x',
    'prod@',
    'prod@{}',
    'prod@{tomorrow}',
    'prod@{2023-13-01}',
    'prod 1',
    'prod\n',
    'a#1#2',
  ])('%j is none, and it says why', (text) => {
    expect(parseSnapshotExpression(text)).toEqual({ problem: expect.stringMatching(/\w/) });
  });

  it('names its environment first, and only then fewer of its digits', () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9.\-_]{0,12}$/);
    fc.assert(
      fc.property(name, fc.nat(999), (environment, count) => {
        const readings = readingsOf(`${environment}${count}`);
        expect(readings[0]).toEqual(latest(`${environment}${count}`));
        expect(readings).toContainEqual(behind(environment, count));
        const lengths = readings.map((reading) => reading.environment.length);
        expect(lengths).toEqual(lengths.toSorted((one, other) => other - one));
      }),
    );
  });

  it('is parsed or rejected, never an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('a1#~@{}.-:TZ ')) }), (text) => {
        const parsed = parseSnapshotExpression(text);
        expect('problem' in parsed ? parsed.problem : parsed.readings).not.toHaveLength(0);
      }),
    );
  });
});

describe('an interval', () => {
  it.each([
    ['3..7', { kind: 'number', number: 3 }, { kind: 'number', number: 7 }],
    ['#3..#3', { kind: 'number', number: 3 }, { kind: 'number', number: 3 }],
    ['NOW', { kind: 'latest' }, { kind: 'latest' }],
    ['now', { kind: 'latest' }, { kind: 'latest' }],
    ['~5..NOW', { kind: 'behind', count: 5 }, { kind: 'latest' }],
    ['~5..now', { kind: 'behind', count: 5 }, { kind: 'latest' }],
    ['@{2.days.ago}..~1', { kind: 'ago', seconds: 172_800 }, { kind: 'behind', count: 1 }],
    ['prod#3..prod~1', { kind: 'number', number: 3 }, { kind: 'behind', count: 1 }],
    ['@{2023-10-02}..NOW', { kind: 'time', time: 1_696_204_800 }, { kind: 'latest' }],
  ])('%s is read', (text, from, to) => {
    expect(parseSnapshotInterval(text)).toEqual({ from, to });
  });

  it.each(['', '3', '3..', '..3', '3...7', '3..5..7', 'prod..NOW', '0..3', 'NOW..x', '~..NOW'])(
    '%j is none',
    (text) => {
      expect(parseSnapshotInterval(text)).toEqual({ problem: expect.stringMatching(/\w/) });
    },
  );

  it.each(['7..3', '~1..~2', 'NOW..~1', '@{2023-10-03}..@{2023-10-02}', '@{1.day.ago}..@{2.days.ago}'])(
    '%s ends too early',
    (text) => {
      expect(parseSnapshotInterval(text)).toEqual({ problem: 'it must not end before it begins' });
    },
  );
});
