// What the address of the list of vaults says.
export const SORTS = ["tvl", "name", "apy", "alerts", "fresh"] as const;
export type Sort = (typeof SORTS)[number];

export interface Search {
  /** Text in name, symbol or address. */
  q?: string;
  chain?: number;
  show?: "all" | "mine";
  sort?: Sort;
  order?: "asc" | "desc";
}

/** Reads the address; what it does not know it leaves out, so that no link breaks the page. */
export function parseSearch(search: Record<string, unknown>): Search {
  const chain = Number(search.chain);
  return {
    ...(typeof search.q === "string" && search.q !== "" && { q: search.q }),
    ...(Number.isSafeInteger(chain) && chain > 0 && { chain }),
    ...((search.show === "mine" || search.show === "all") && { show: search.show }),
    ...(SORTS.includes(search.sort as Sort) && { sort: search.sort as Sort }),
    ...((search.order === "asc" || search.order === "desc") && { order: search.order }),
  };
}
