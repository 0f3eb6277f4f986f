// What the pages of alerts ask the service for, and what their address says.
import { ALERT_CATEGORIES } from "@vaultops/sdk/alert-categories";
import type { Answer, Query, Route } from "@vaultops/sdk/client";
import { POLL_MS, polled } from "../../api/client.ts";
import { keysOf } from "../../api/keys-of.ts";
import { words } from "../../format/words.ts";

export type Alert = Answer<"GET /api/v1/alerts/{id}">;
export type Category = Alert["category"];
export type Severity = Alert["severity"];
export type Silence = Answer<"GET /api/v1/silences">["silences"][number];

export const CATEGORIES: readonly Category[] = ALERT_CATEGORIES.map(({ category }) => category);

const NAMES = new Map<string, string>(ALERT_CATEGORIES.map(({ category, name }) => [category, name]));

/** One that only another release knows is told by its own word. */
export const categoryName = (category: string): string => NAMES.get(category) ?? words(category);

const SEVERITY_RANK: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };
export const SEVERITIES = keysOf(SEVERITY_RANK);

export const PAGE_SIZE = 50;

export interface Search {
  /** A vault id. */
  vault?: string;
  category?: Category;
  severity?: Severity;
  /** Bounds of the history, RFC 3339, UTC. */
  from?: string;
  to?: string;
  offset?: number;
}

/** Reads the address; what it does not know it leaves out, so that no link breaks the page. */
export function parseSearch(search: Record<string, unknown>): Search {
  const offset = Number(search.offset);
  const time = (key: "from" | "to") =>
    typeof search[key] === "string" && !Number.isNaN(Date.parse(search[key])) ? { [key]: search[key] } : {};
  return {
    ...(typeof search.vault === "string" && /^\d+:0x/.test(search.vault) && { vault: search.vault }),
    ...(CATEGORIES.includes(search.category as Category) && { category: search.category as Category }),
    ...(SEVERITIES.includes(search.severity as Severity) && { severity: search.severity as Severity }),
    ...time("from"),
    ...time("to"),
    ...(Number.isSafeInteger(offset) && offset > 0 && { offset }),
  };
}

function filterOf({ vault, category, severity }: Search) {
  return {
    ...(vault && { vault_id: vault }),
    ...(category && { category: [category] }),
    ...(severity && { severity: [severity] }),
  } satisfies Query<"GET /api/v1/alerts">;
}

/** What is firing or acknowledged: all of it, whatever the history's bounds. */
export const openQuery = ({ vault, category, severity }: Search) =>
  polled(
    "GET /api/v1/alerts",
    {
      query: {
        ...filterOf({
          ...(vault && { vault }),
          ...(category && { category }),
          ...(severity && { severity }),
        }),
        status: ["firing", "acknowledged"],
        limit: 1000,
      },
    },
    POLL_MS.state,
  );

/** What is over. */
export const historyQuery = (search: Search) =>
  polled(
    "GET /api/v1/alerts",
    {
      query: {
        ...filterOf(search),
        status: ["resolved"],
        ...(search.from && { from_timestamp: search.from }),
        ...(search.to && { to_timestamp: search.to }),
        limit: PAGE_SIZE,
        offset: search.offset ?? 0,
      },
    },
    POLL_MS.activity,
  );

export const alertQuery = (id: string) => polled("GET /api/v1/alerts/{id}", { path: { id } }, POLL_MS.state);

/** Silences that have not ended. */
export const silencesQuery = (vault?: string) =>
  polled(
    "GET /api/v1/silences",
    { query: { is_active: true, limit: 100, ...(vault && { vault_id: vault }) } },
    POLL_MS.activity,
  );

/** The routes whose answers a change of alerts or silences makes old. */
const CHANGED: readonly Route[] = ["GET /api/v1/alerts", "GET /api/v1/alerts/{id}", "GET /api/v1/silences"];

export const isOfAlerts = ({ queryKey: [route] }: { queryKey: readonly unknown[] }): boolean =>
  CHANGED.includes(route as Route);

/** Firing alerts first; among these the most severe first, then the newest. */
export function worstFirst(alerts: readonly Alert[]): Alert[] {
  const rank = ({ status, severity }: Alert) => (status === "firing" ? 0 : 10) + SEVERITY_RANK[severity];
  return [...alerts].sort((a, b) => rank(a) - rank(b) || b.started_at.localeCompare(a.started_at));
}
