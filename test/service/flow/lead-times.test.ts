import { describe, expect, it } from '@jest/globals';
import { calculateLeadTimes } from '../../../src/service/flow/lead-times.ts';

describe('lead times', () => {
  it('count to the first start in each environment, in whole seconds', () => {
    const firstStarts = new Map([
      ['stage', 130.75],
      ['prod', 160.9],
    ]);
    expect(calculateLeadTimes(100.5, firstStarts)).toEqual({ prod: 60, stage: 30 });
  });

  it('are empty without a start time', () => {
    expect(calculateLeadTimes(undefined, new Map([['prod', 190]]))).toEqual({});
  });

  it('leave out an environment that ran the artifact before', () => {
    const firstStarts = new Map([
      ['prod', 99],
      ['stage', 100],
    ]);
    expect(calculateLeadTimes(100, firstStarts)).toEqual({ stage: 0 });
  });

  it('support any environment name', () => {
    const times = calculateLeadTimes(0, new Map([['__proto__', 5]]));
    expect(Object.entries(times)).toEqual([['__proto__', 5]]);
  });
});
