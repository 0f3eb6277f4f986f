// What the page of the audit log asks the service for, and what its address says.
import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Answer, Query } from "@vaultops/sdk/client";
import { call, POLL_MS, polled } from "../../api/client.ts";
import { microsecondAfter } from "../../format/time.ts";
import { ACTION_TYPES, type ActionType } from "./actions.ts";

export type Page = Answer<"GET /api/v1/audit/logs">;
export type Verification = Answer<"GET /api/v1/audit/verification">;

export interface Search {
  /** A vault id. */
  vault?: string;
  /** Kinds, comma-separated. */
  action?: string;
  actor?: string;
  /** RFC 3339, UTC. */
  from?: string;
  to?: string;
  /** What `from` and `to` mean: when it was recorded (default), or the block's time. */
  time?: "block";
  /** The id of the entry that is open. */
  entry?: string;
}

/** Reads the address; what it does not know it leaves out, so that no link breaks the page. */
export function parseSearch(search: Record<string, unknown>): Search {
  const text = (key: "actor" | "entry", pattern: RegExp) =>
    typeof search[key] === "string" && pattern.test(search[key]) ? { [key]: search[key] } : {};
  const time = (key: "from" | "to") =>
    typeof search[key] === "string" && !Number.isNaN(Date.parse(search[key])) ? { [key]: search[key] } : {};
  const actions = actionsOf({ action: typeof search.action === "string" ? search.action : "" });
  return {
    ...(typeof search.vault === "string" && /^\d+:0x/.test(search.vault) && { vault: search.vault }),
    ...(actions.length > 0 && { action: actions.join(",") }),
    ...text("actor", /^0x[0-9a-fA-F]{40}$/),
    ...time("from"),
    ...time("to"),
    ...(search.time === "block" && { time: "block" }),
    ...text("entry", /^[0-9a-f-]{36}$/),
  };
}

export function actionsOf({ action = "" }: Pick<Search, "action">): ActionType[] {
  const known: readonly string[] = ACTION_TYPES;
  return action.split(",").filter((one): one is ActionType => known.includes(one));
}

/** The filter as list, export and stream take it. */
export function filterOf(search: Search) {
  const [chain, address] = search.vault?.split(":") ?? [];
  const actions = actionsOf(search);
  return {
    ...(chain && address && { chain_id: Number(chain), vault_address: address }),
    ...(actions.length > 0 && { action_type: actions }),
    ...(search.actor && { actor_wallet: search.actor }),
    ...(search.from && { from_timestamp: search.from }),
    ...(search.to && { to_timestamp: search.to }),
    ...(search.time && { time_field: search.time }),
  } satisfies Query<"GET /api/v1/audit/logs">;
}

export const PAGE_SIZE = 500;

/**
 * The log, newest first, a page at a time. Later pages are counted from the newest entry of the first one, so that what is written
 * meanwhile moves nothing; it comes by the stream, from the first page's cursor on.
 */
export const logQuery = ({ entry: _, ...search }: Search) =>
  infiniteQueryOptions({
    queryKey: ["audit", search],
    initialPageParam: { offset: 0, anchor: null as string | null },
    queryFn: ({ pageParam: { offset, anchor }, signal }) =>
      call("GET /api/v1/audit/logs", {
        query: {
          ...filterOf(search),
          ...(anchor !== null && { to_timestamp: anchor }),
          limit: PAGE_SIZE,
          offset,
        },
        signal,
      }),
    getNextPageParam: (last, pages, { anchor }) =>
      last.has_more
        ? { offset: pages.length * PAGE_SIZE, anchor: anchor ?? anchorOf(search, pages[0]) }
        : null,
    // The stream brings what is new.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

/** Just after the newest entry; by block time the filter's own end, since late entries may stand anywhere there. */
function anchorOf(search: Search, first: Page | undefined): string | null {
  const newest = first?.logs[0]?.timestamp;
  return newest === undefined || search.time === "block" ? (search.to ?? null) : microsecondAfter(newest);
}

export const verificationQuery = polled("GET /api/v1/audit/verification", {}, POLL_MS.services);

export const entryQuery = (id: string) => ({
  ...polled("GET /api/v1/audit/logs/{id}", { path: { id } }, POLL_MS.slow),
  // An entry never changes.
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false as const,
});

export const proofQuery = (seq: string) => ({
  ...polled("GET /api/v1/audit/proof", { query: { seq: Number(seq) } }, POLL_MS.activity),
  retry: false,
});
