import { maximumPageSize } from '../../contract/paging.ts';
import type { Input } from './input.ts';
import { integer } from './input-types.ts';

const pageNumber = integer('page', 1, 1_000_000_000, 'pages');

/** The page of a list, counted from 1, or all pages. */
export const page: Input<number | 'all'> = {
  name: 'page',
  parse(text) {
    if (text === 'all') return { value: 'all' };
    const parsed = pageNumber.parse(text);
    if ('value' in parsed) return parsed;
    return { problem: 'must be a page number from 1, or `all`', remedy: 'Write a number such as 1, or `all`.' };
  },
};

export const perPage = integer('per-page', 1, maximumPageSize, 'entries');

/** The default page size for `page: all`: few requests, within most services' limit. The interface shows none. */
export const pageSizeForAll = 100;
