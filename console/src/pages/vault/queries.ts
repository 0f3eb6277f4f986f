// What a vault's page asks the service for, and what its address says.
import { queryOptions } from "@tanstack/react-query";
import type { Answer, Query } from "@vaultops/sdk/client";
import { call, POLL_MS, polled, serverNow } from "../../api/client.ts";
import type { VaultId } from "../../api/vaults.ts";

export type VaultState = Answer<"GET /api/v1/vaults/{chain_id}/{address}">;
export type Shard = Answer<"GET /api/v1/engine/shards/{vault_id}/state">;
export type SessionKey = Answer<"GET /api/v1/vaults/{chain_id}/{vault}/session-key">;
export type PpsPoint = Answer<"GET /api/v1/vaults/{chain_id}/{address}/pps">["points"][number];
export type ApyPoint = Answer<"GET /api/v1/vaults/{chain_id}/{address}/apy">["points"][number];

export const WINDOWS = ["24h", "7d", "30d", "all"] as const;
export type Window = (typeof WINDOWS)[number];

export interface Search {
  window?: Window;
}

export function parseSearch(search: Record<string, unknown>): Search {
  return WINDOWS.includes(search.window as Window) ? { window: search.window as Window } : {};
}

const onVault = ({ chain_id, address }: VaultId) => ({ chain_id, vault: address });

export const servicesQuery = (id: VaultId) =>
  polled("GET /api/v1/vaults/{chain_id}/{vault}/services", { path: onVault(id) }, POLL_MS.services);

export const redeemsQuery = (id: VaultId) =>
  polled(
    "GET /api/v1/vaults/{chain_id}/{vault}/redeems",
    { path: onVault(id), query: { limit: 50 } },
    POLL_MS.activity,
  );

export const shardQuery = ({ chain_id, address }: VaultId) =>
  polled(
    "GET /api/v1/engine/shards/{vault_id}/state",
    { path: { vault_id: `${chain_id}:${address}` } },
    POLL_MS.state,
  );

export const sessionKeyQuery = (id: VaultId) =>
  polled("GET /api/v1/vaults/{chain_id}/{vault}/session-key", { path: onVault(id) }, POLL_MS.services);

export const merkleQuery = (id: VaultId) =>
  polled(
    "GET /api/v1/vaults/{chain_id}/{vault}/merkle",
    { path: onVault(id), query: { limit: 4 } },
    POLL_MS.services,
  );

export const latestEntriesQuery = ({ chain_id, address }: VaultId) =>
  polled(
    "GET /api/v1/audit/logs",
    { query: { chain_id, vault_address: address, limit: 12 } },
    POLL_MS.activity,
  );

/** Symbols and decimals of a chain's known tokens. */
export const tokensQuery = (chainId: number) =>
  polled("GET /api/v1/registry/token-assets", { query: { chain_id: chainId } }, POLL_MS.slow);

const DAY_SECONDS = 86_400;
const WINDOW_SECONDS: Record<Window, number | null> = {
  "24h": DAY_SECONDS,
  "7d": 7 * DAY_SECONDS,
  "30d": 30 * DAY_SECONDS,
  all: null,
};
/** More would be finer than the screen. */
const MAX_PAGES = 4;

/** Price and TVL through the window: every point of a day, else the last of each hour. */
export const ppsQuery = ({ chain_id, address }: VaultId, window: Window) =>
  queryOptions({
    queryKey: ["pps", chain_id, address, window],
    refetchInterval: POLL_MS.slow,
    staleTime: POLL_MS.services,
    queryFn: ({ signal }) =>
      allPoints<PpsPoint>((cursor) =>
        call("GET /api/v1/vaults/{chain_id}/{address}/pps", {
          path: { chain_id, address },
          query: { ...since(window), interval: window === "24h" ? "raw" : "hour", limit: 5000, ...cursor },
          signal,
        }),
      ),
  });

/** The 7-day APY as it stood through the window. */
export const apyQuery = ({ chain_id, address }: VaultId, window: Window) =>
  queryOptions({
    queryKey: ["apy", chain_id, address, window],
    refetchInterval: POLL_MS.slow,
    staleTime: POLL_MS.services,
    queryFn: ({ signal }) =>
      allPoints<ApyPoint>((cursor) =>
        call("GET /api/v1/vaults/{chain_id}/{address}/apy", {
          path: { chain_id, address },
          query: { ...since(window), interval: "hour", limit: 5000, ...cursor },
          signal,
        }),
      ),
  });

function since(window: Window): Pick<Query<"GET /api/v1/audit/logs">, "from_timestamp"> {
  const seconds = WINDOW_SECONDS[window];
  return seconds === null ? {} : { from_timestamp: new Date(serverNow() - seconds * 1000).toISOString() };
}

async function allPoints<Point>(
  page: (cursor: { cursor?: string }) => Promise<{ points: Point[]; next_cursor: string | null }>,
): Promise<Point[]> {
  const points: Point[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const answer: { points: Point[]; next_cursor: string | null } = await page(
      cursor === null ? {} : { cursor },
    );
    points.push(...answer.points);
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return points;
}

/** What is firing or acknowledged on the vault. */
export const openAlertsQuery = ({ chain_id, address }: VaultId) =>
  polled(
    "GET /api/v1/alerts",
    { query: { chain_id, vault_address: address, status: ["firing", "acknowledged"], limit: 20 } },
    POLL_MS.state,
  );

/** The channels that the vault's alerts go to. */
export const boundChannelsQuery = ({ chain_id, address }: VaultId) =>
  polled(
    "GET /api/v1/vaults/{chain_id}/{vault_address}/notification-channels",
    { path: { chain_id, vault_address: address } },
    POLL_MS.slow,
  );

/** Who has which role on the vault: those whom its managers let in, and the managers. */
export const membersQuery = ({ chain_id, address }: VaultId) =>
  polled(
    "GET /api/v1/vaults/{chain_id}/{vault_address}/members",
    { path: { chain_id, vault_address: address } },
    POLL_MS.slow,
  );
