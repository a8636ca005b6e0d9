import { describe, expect, it } from '@jest/globals';
import { wait } from '../../../src/operations/inputs/gate.ts';

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
