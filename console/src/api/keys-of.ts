/** The keys of a table by a union of the API, in the table's order. A table that lacks one of them, or has one more, does not compile. */
export const keysOf = <Key extends string>(table: Record<Key, unknown>): readonly Key[] =>
  Object.keys(table) as Key[];
