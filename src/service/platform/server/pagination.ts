import type { Pagination } from '../../../contract/paging.ts';

/** Where a page is in a list with this many entries. */
export function toPagination(page: number, perPage: number, total: number): Pagination {
  return { page, per_page: perPage, page_count: Math.ceil(total / perPage), total };
}
