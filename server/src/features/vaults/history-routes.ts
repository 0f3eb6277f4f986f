// The routes of a vault's history: its price per share and its APY through time.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Address } from "viem";
import type { SqlReads } from "../../platform/db/replica.ts";
import { polled } from "../../platform/http/etag.ts";
import { limitParam } from "../../platform/http/paging.ts";
import { route } from "../../platform/http/route.ts";
import { AddressPath, OneOf, strictQuery, TimestampParam } from "../../platform/http/schemas.ts";
import type { Book } from "./book.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { type HistoryPoint, type Interval, loadHistory } from "./history.ts";
import { ApyHistorySchema, PpsHistorySchema } from "./history-schemas.ts";
import { entryOf } from "./routes.ts";
import { type PricePoint, realisedApy, usdValue } from "./yield.ts";

export interface HistoryRouteParts {
  db: SqlReads;
  book: Book;
}

export function historyRoutes(app: FastifyInstance, { db, book }: HistoryRouteParts): void {
  route(
    app,
    "GET",
    "/api/v1/vaults/:chain_id/:address/pps",
    {
      schema: {
        tags: ["Vaults"],
        summary: "A vault's price per share through time",
        description:
          "Oldest first. `raw`: every point; `hour`, `day`: the last point of each hour or day (UTC) that has one. A point without a price marks a time without supply.",
        params: AddressPath,
        querystring: historyQuery(["raw", "hour", "day"], "raw"),
        response: { 200: PpsHistorySchema },
      },
      config: { permission: "authenticated" },
    },
    async (request, reply) => {
      await entryOf(book, request.params.chain_id, request.params.address);
      const { points, nextCursor } = await pageOf(db, "pps", request.params, request.query);
      const body = JSON.stringify({ points: points.map(ppsPointOf), next_cursor: nextCursor });
      return polled(request, reply, body);
    },
  );

  route(
    app,
    "GET",
    "/api/v1/vaults/:chain_id/:address/apy",
    {
      schema: {
        tags: ["Vaults"],
        summary: "A vault's realised APY",
        description:
          "`windows` as of the newest price, and the 7-day figure as it stood at the end of each day or hour (UTC), oldest first.",
        params: AddressPath,
        querystring: historyQuery(["hour", "day"], "day"),
        response: { 200: ApyHistorySchema },
      },
      config: { permission: "authenticated" },
    },
    async (request, reply) => {
      const { entry } = await entryOf(book, request.params.chain_id, request.params.address);
      const { points, nextCursor } = await pageOf(db, "apy", request.params, request.query);
      const page = JSON.stringify({ points: points.map(apyPointOf), next_cursor: nextCursor });
      return polled(request, reply, `${entry.windowsJson.slice(0, -1)},${page.slice(1)}`);
    },
  );
}

interface VaultParams {
  chain_id: number;
  address: Address;
}

interface HistoryParams {
  from_timestamp?: string;
  to_timestamp?: string;
  interval: Interval;
  cursor?: string;
  limit: number;
}

function historyQuery<const T extends readonly Interval[]>(intervals: T, fallback: T[number]) {
  return strictQuery(
    {
      from_timestamp: Type.Optional(TimestampParam),
      to_timestamp: Type.Optional(TimestampParam),
      interval: OneOf(intervals, {
        default: fallback,
        description: "Every point, or the last of each hour or day.",
      }),
      cursor: Type.Optional(
        Type.String({ maxLength: 100, description: "The `next_cursor` of the page before." }),
      ),
      limit: limitParam(1000, 5000),
    },
    { period: ["from_timestamp", "to_timestamp"] },
  );
}

async function pageOf(
  db: SqlReads,
  what: "pps" | "apy",
  { chain_id: chainId, address: vaultAddress }: VaultParams,
  { from_timestamp, to_timestamp, interval, cursor, limit }: HistoryParams,
): Promise<{ points: HistoryPoint[]; nextCursor: string | null }> {
  const rows = await loadHistory(db, what, {
    chainId,
    vaultAddress,
    interval,
    from: from_timestamp ?? null,
    to: to_timestamp ?? null,
    after: cursor === undefined ? null : decodeCursor(cursor),
    limit,
  });
  const points = rows.slice(0, limit);
  const last = points.at(-1);
  if (rows.length <= limit || !last) return { points, nextCursor: null };
  const { block_timestamp: timestamp, block_number: blockNumber, log_index: logIndex } = last;
  return { points, nextCursor: encodeCursor({ timestamp, blockNumber, logIndex }) };
}

function ppsPointOf(point: HistoryPoint) {
  const { total_assets: assets, price_usd_e18: price } = point;
  return {
    timestamp: point.block_timestamp,
    pps: point.pps?.toString() ?? null,
    tvl: assets?.toString() ?? null,
    tvl_usd: assets === null || price === null ? null : usdValue(assets, point.asset_decimals, price),
    block_number: point.block_number,
  };
}

function apyPointOf(point: HistoryPoint) {
  const base = priceOf(point.base_pps_e18, point.base_at_seconds);
  return {
    timestamp: point.block_timestamp,
    apy_7d: realisedApy(base, priceOf(point.pps_e18, point.at_seconds)).apy,
  };
}

function priceOf(ppsE18: bigint | null, timestamp: number | null): PricePoint | null {
  return ppsE18 === null || timestamp === null ? null : { pps: ppsE18, timestamp };
}
