// What the pages of intents ask the service for, and what their address says.
import type { Answer } from "@vaultops/sdk/client";
import { POLL_MS, polled } from "../../api/client.ts";
import { keysOf } from "../../api/keys-of.ts";

export type Intent = Answer<"GET /api/v1/intents">["intents"][number];
export type IntentState = Intent["state"];
export type IntentEvent = Answer<"GET /api/v1/intents/{intent_id}/events">["events"][number];
export type Fill = Answer<"GET /api/v1/intents/{intent_id}/fills">["fills"][number];
export type Facets = Answer<"GET /api/v1/intents/facets">;

export const STATES = keysOf<IntentState>({
  RECEIVED: true,
  ACKED: true,
  STAGED: true,
  PLANNED: true,
  EXECUTING: true,
  COMPLETED: true,
  ABORTED: true,
  EXPIRED: true,
  FAILED: true,
  CANCELED: true,
});

export const PAGE_SIZE = 50;
const MAX_PARTS = 500;

export interface Search {
  state?: IntentState;
  action?: string;
  /** A vault id. */
  vault?: string;
  strategy?: string;
  error?: string;
  tx?: string;
  offset?: number;
}

/** Reads the address; what it does not know it leaves out, so that no link breaks the page. */
export function parseSearch(search: Record<string, unknown>): Search {
  const text = (key: keyof Search) => {
    const value = search[key];
    return typeof value === "string" && value !== "" ? { [key]: value } : {};
  };
  const offset = Number(search.offset);
  return {
    ...(STATES.includes(search.state as IntentState) && { state: search.state as IntentState }),
    ...text("action"),
    ...text("vault"),
    ...text("strategy"),
    ...text("error"),
    ...text("tx"),
    ...(Number.isSafeInteger(offset) && offset > 0 && { offset }),
  };
}

function filterOf({ state, action, vault, strategy, error, tx }: Search) {
  return {
    ...(state && { state }),
    ...(action && { action }),
    ...(vault && { vault_id: vault }),
    ...(strategy && { strategy_id: strategy }),
    ...(error && { error_code: error }),
    ...(tx && { tx_hash: tx }),
  };
}

export const listQuery = (search: Search) =>
  polled(
    "GET /api/v1/intents",
    { query: { ...filterOf(search), limit: PAGE_SIZE, offset: search.offset ?? 0 } },
    POLL_MS.activity,
  );

/** Of the same filter without its state: the counts beside which a state is chosen. */
export const facetsQuery = ({ state: _, ...search }: Search) =>
  polled("GET /api/v1/intents/facets", { query: filterOf(search) }, POLL_MS.activity);

export const intentQuery = (id: string) =>
  polled("GET /api/v1/intents/{intent_id}", { path: { intent_id: id } }, POLL_MS.state);

export const eventsQuery = (id: string) =>
  polled(
    "GET /api/v1/intents/{intent_id}/events",
    { path: { intent_id: id }, query: { limit: MAX_PARTS } },
    POLL_MS.state,
  );

export const fillsQuery = (id: string) =>
  polled(
    "GET /api/v1/intents/{intent_id}/fills",
    { path: { intent_id: id }, query: { limit: MAX_PARTS } },
    POLL_MS.state,
  );
