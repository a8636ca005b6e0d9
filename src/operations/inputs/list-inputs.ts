import { maximumPageSize } from '../../contract/paging.ts';
import { timestamp, integer } from './input-types.ts';
import type { Input } from './input.ts';

const pageNumber = integer('page', 1, 1_000_000_000, 'pages');

/** Which page of a list, counted from 1; or all of them. */
export const page: Input<number | 'all'> = {
  name: 'page',
  secret: false,
  parse(text) {
    if (text === 'all') return { value: 'all' };
    const parsed = pageNumber.parse(text);
    if ('value' in parsed) return parsed;
    return { problem: 'must be a page number from 1, or `all`', remedy: 'Write a number such as 1, or `all`.' };
  },
};

/** How many entries a page has. */
export const perPage = integer('per-page', 1, maximumPageSize, 'entries');

/**
 * The size of a page where all are walked through and none is asked for: few requests, and no more than services commonly
 * give, since the interface shows no largest page.
 */
export const pageSizeForAll = 100;

/** The beginning of a time span, itself included. */
export const fromTimestamp = timestamp('from-timestamp');

/** The end of a time span, itself included. */
export const toTimestamp = timestamp('to-timestamp');
