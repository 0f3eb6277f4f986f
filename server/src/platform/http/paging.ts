// Paging by limit and offset: out of range is refused (400), never clamped, so that a client is not answered less than it asked.
import { Type } from "typebox";

/** The `limit` parameter: 1 to `maximum`, `fallback` when it is left out. */
export function limitParam(fallback = 100, maximum = 1000) {
  return Type.Integer({ minimum: 1, maximum, default: fallback, description: `Page size, 1 to ${maximum}.` });
}

/** The `offset` parameter: entries skipped, from 0. */
export const offsetParam = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  default: 0,
  description: "Number of entries skipped, in the order of the list.",
});

/** Whether more entries exist beyond a page. */
export function hasMore(page: { offset: number; length: number; total: number }): boolean {
  return page.offset + page.length < page.total;
}
