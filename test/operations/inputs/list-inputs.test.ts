import { describe, expect, it } from '@jest/globals';
import { fromTimestamp, page, perPage, toTimestamp } from '../../../src/operations/inputs/list-inputs.ts';
import { expectInput } from '../../support/input-cases.ts';

describe('the inputs of lists', () => {
  it('have the names that a workflow author types', () => {
    expect([page, perPage, fromTimestamp, toTimestamp].map(({ name }) => name)).toEqual([
      'page',
      'per-page',
      'from-timestamp',
      'to-timestamp',
    ]);
  });

  it('accept a page number, or all pages', () => {
    expectInput(page, {
      good: [
        ['1', 1],
        ['250', 250],
        ['all', 'all'],
      ],
      bad: [
        ['0', /a page number from 1, or `all`/u],
        ['ALL', /or `all`/u],
        ['1,2', /or `all`/u],
        ['-1', /or `all`/u],
        ['1000000001', /or `all`/u],
      ],
    });
  });

  it('accept a page size from 1 to 1000', () => {
    expectInput(perPage, {
      good: [
        ['1', 1],
        ['1000', 1000],
      ],
      bad: [
        ['0', /from 1 to 1000/u],
        ['1001', /from 1 to 1000/u],
      ],
    });
  });

  it.each([fromTimestamp, toTimestamp])('take Unix seconds and ISO 8601 for $name', (input) => {
    expectInput(input, {
      good: [
        ['0', 0],
        ['1767323045', 1_767_323_045],
        ['2026-01-02T03:04:05Z', 1_767_323_045],
        ['2026-01-02T03:04:05', 1_767_323_045],
        ['2026-01-02T04:04:05.9+01:00', 1_767_323_045],
        ['2026-01-02', 1_767_312_000],
        ['253402300799', 253_402_300_799],
      ],
      bad: [
        ['1767323045000', /Unix seconds or in ISO 8601/u],
        ['2026-02-30', /must be a time/u],
        ['2026-13-01', /must be a time/u],
        ['1969-12-31', /must be a time/u],
        ['yesterday', /must be a time/u],
        ['02.01.2026', /must be a time/u],
        ['-5', /must be a time/u],
        ['1.5', /must be a time/u],
      ],
    });
  });
});
