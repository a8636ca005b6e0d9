import { maximumTimestamp } from './limits.ts';
import { type Static, Type } from './schema.ts';

/** The maximum number of entries on a page. The interface shows no limit. */
export const maximumPageSize = 1000;

/** The default number of entries on a page: the size that the public client requests. */
export const defaultPageSize = 15;

/** Where a page is in its list. */
export const pagination = Type.Object({
  page: Type.Integer(),
  per_page: Type.Integer(),
  page_count: Type.Integer(),
  total: Type.Integer(),
});

export type Pagination = Static<typeof pagination>;

/** The query parameters of a page (interface, Limits: each at least 1). */
export const pageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Counted from 1. Default: 1.' })),
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maximumPageSize, description: `Default: ${defaultPageSize}.` }),
  ),
} as const;

const timestamp = Type.Optional(
  Type.Integer({ minimum: 0, maximum: maximumTimestamp, description: 'In Unix seconds, included.' }),
);

/** The query parameters of a time span. */
export const spanQuery = { from: timestamp, to: timestamp } as const;
