import { describe, expect, it } from '@jest/globals';
import type { Appearance } from '../../../src/service/artifact/artifact.ts';
import { calculateLeadTimes } from '../../../src/service/flow/lead-times.ts';

function appearance(environment: string, startedAt: number): Appearance {
  return { environment, started: 1, startedAt, last: 1, exitedAt: undefined };
}

describe('lead times', () => {
  it('count to the first start in each environment, in whole seconds', () => {
    const appearances = [appearance('prod', 190), appearance('stage', 130.75), appearance('prod', 160.9)];
    expect(calculateLeadTimes(100.5, appearances)).toEqual({ prod: 60, stage: 30 });
  });

  it('are empty without a start time', () => {
    expect(calculateLeadTimes(undefined, [appearance('prod', 190)])).toEqual({});
  });

  it('leave out an environment that ran the artifact before', () => {
    expect(calculateLeadTimes(100, [appearance('prod', 99), appearance('stage', 100)])).toEqual({ stage: 0 });
  });

  it('support any environment name', () => {
    const times = calculateLeadTimes(0, [appearance('__proto__', 5)]);
    expect(Object.entries(times)).toEqual([['__proto__', 5]]);
  });
});
