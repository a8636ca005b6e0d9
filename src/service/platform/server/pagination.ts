import { defaultPageSize, type Pagination } from '../../../contract/paging.ts';
import type { ListPart } from '../database/database.ts';

export function toListPart({
  page = 1,
  per_page: limit = defaultPageSize,
}: {
  readonly page?: number;
  readonly per_page?: number;
}): ListPart {
  return { offset: (page - 1) * limit, limit };
}

/** Where a page is in a list with this many entries. */
export function toPagination({ offset, limit }: ListPart, total: number): Pagination {
  return { page: offset / limit + 1, per_page: limit, page_count: Math.ceil(total / limit), total };
}
