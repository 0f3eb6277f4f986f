// The chains that are followed, and how far.
import { sql } from "kysely";
import { Type } from "typebox";
import type { Clock } from "../../platform/clock.ts";
import { type Database, executeNamed } from "../../platform/db/db.ts";
import { polled } from "../../platform/http/etag.ts";
import { route } from "../../platform/http/route.ts";
import { ChainId, Nullable, named } from "../../platform/http/schemas.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import type { Condition } from "../../platform/lifecycle/health.ts";
import { filled, loadBehind } from "./history.ts";

export interface ChainsFeatureDeps {
  db: Pick<Database, "kysely">;
  clock: Clock;
}

interface FollowedChain {
  chain_id: number;
  max_lag_seconds: number;
}

const ChainSchema = named(
  "Chain",
  Type.Object({
    chain_id: ChainId,
    name: Type.String(),
    explorer_url: Nullable(Type.String()),
    head_block: Nullable(Type.Integer({ description: "Newest block known; null before the first." })),
    confirmed_block: Nullable(
      Type.Integer({
        description:
          "Every block up to this one is deep enough, and the audit entries of all that is followed are written. Null before the first, and while the past is filled in from block 0.",
      }),
    ),
    lag_seconds: Nullable(
      Type.Integer({ description: "How far the newest block known lies behind the clock." }),
    ),
    is_behind: Type.Boolean({
      description:
        "No block is known, or the newest lies further behind the clock than the service allows (`max_lag_seconds` of the chain); `/readyz` fails then. Always true of a chain that is no longer configured.",
    }),
    is_halted: Type.Boolean({ description: "The node answers, but the chain makes no new blocks." }),
    history: Nullable(
      named(
        "ChainHistory",
        Type.Object(
          {
            from_block: Type.Integer({ description: "Where what is filled in began." }),
            to_block: Type.Integer({
              description: "The newest block that is deep enough: where it will end.",
            }),
            done_fraction: Type.Number({ description: "From 0 to 1, over all sources that are filled in." }),
            estimated_seconds: Nullable(
              Type.Integer({
                description: "How long the rest takes at the present pace; null while nothing can be said.",
              }),
            ),
          },
          { description: "How far the past is filled in; null while nothing of it is missing." },
        ),
      ),
    ),
  }),
);

export function chainsFeature({
  db,
  clock,
  chains: followed,
}: ChainsFeatureDeps & { chains: readonly FollowedChain[] }): Feature {
  const limits = new Map(followed.map((chain) => [chain.chain_id, chain.max_lag_seconds]));
  return {
    name: "chains",
    routes(app) {
      route(
        app,
        "GET",
        "/api/v1/chains",
        {
          schema: {
            tags: ["Chains"],
            summary: "The chains that are followed",
            description:
              "Every chain, by its id, with the newest block known and the newest one confirmed. Needs no token.",
            response: { 200: Type.Array(ChainSchema) },
          },
          config: { permission: "public" },
        },
        async (request, reply) => {
          const [rows, behind] = await Promise.all([loadChains(db), loadBehind(db)]);
          const chains = rows.map((row) => {
            const { confirmedBlock, history } = filled(
              row.confirmed_number,
              behind.get(row.chain_id) ?? [],
              clock.now(),
            );
            const lag = lagSeconds(row, clock.now());
            const limit = limits.get(row.chain_id);
            return {
              chain_id: row.chain_id,
              name: row.name,
              explorer_url: row.explorer_url,
              head_block: row.head_number,
              confirmed_block: confirmedBlock,
              lag_seconds: lag,
              is_behind: limit === undefined || isBehind(lag, limit),
              is_halted: row.is_halted,
              history,
            };
          });
          return polled(request, reply, JSON.stringify(chains), { publicMaxAgeSeconds: 1 });
        },
      );
    },
  };
}

/** What a process that follows the chain, or stands by to, knows beyond the tables (ingestion's status). */
export interface FollowingStatus {
  isLeading: boolean;
  /** Since when another process leads the chain. */
  ledElsewhereSince: string | null;
  /** What keeps the chain from being followed right now. */
  error: string | null;
  /** What may be configured otherwise than meant. */
  warnings: readonly string[];
  backfill: { sources: number; nextBlock: number; toBlock: number; secondsLeft: number | null } | null;
}

/**
 * For `/readyz`: whether the chain's newest known block is recent enough, and what stands in the way. `following` is null in a
 * process that follows no chains.
 */
export async function chainCondition(
  { db, clock }: ChainsFeatureDeps,
  chainId: number,
  maxLagSeconds: number,
  following: FollowingStatus | null = null,
): Promise<Condition> {
  const row = (await loadChains(db)).find((each) => each.chain_id === chainId);
  const lag = row ? lagSeconds(row, clock.now()) : null;
  const error = following?.error ?? null;
  // What a node or the database said may hold what is not for everybody.
  const reason = error === null ? {} : { reason: error };
  if (!row || lag === null) return { state: "failed", detail: "no block has been seen yet", ...reason };
  if (isBehind(lag, maxLagSeconds)) {
    const cause =
      error !== null
        ? HELD_UP
        : row.is_halted
          ? "the chain makes no new blocks"
          : "the chain's node is not followed";
    const detail = `is ${lag} s behind, more than ${maxLagSeconds} s: ${cause}`;
    return { state: "failed", detail, ...reason };
  }
  if (error !== null) return { state: "degraded", detail: HELD_UP, ...reason };
  const warnings = following?.isLeading ? following.warnings : [];
  const told = [
    ...warnings,
    ...(following?.isLeading ? ["this process leads the chain"] : []),
    ...(following?.ledElsewhereSince
      ? [`another process leads the chain since ${following.ledElsewhereSince}`]
      : []),
    ...(following?.backfill ? [progressText(following.backfill)] : []),
  ];
  const detail = told.join("; ");
  if (warnings.length > 0) return { state: "degraded", detail };
  return told.length > 0 ? { state: "ok", detail } : { state: "ok" };
}

function isBehind(lag: number | null, maxLagSeconds: number): boolean {
  return lag === null || lag > maxLagSeconds;
}

const HELD_UP = "following the chain is held up; the log and the admin listener say by what";

function progressText({
  sources,
  nextBlock,
  toBlock,
  secondsLeft,
}: NonNullable<FollowingStatus["backfill"]>): string {
  const left = secondsLeft === null ? "" : `, about ${secondsLeft} s left`;
  return `filling in the past of ${sources} sources: block ${nextBlock} of ${toBlock}${left}`;
}

interface ChainRow {
  chain_id: number;
  name: string;
  explorer_url: string | null;
  head_number: number | null;
  head_seconds: number | null;
  confirmed_number: number | null;
  is_halted: boolean;
}

async function loadChains(db: Pick<Database, "kysely">): Promise<ChainRow[]> {
  const { rows } = await executeNamed(
    db.kysely,
    "chains",
    sql<ChainRow>`
      select chain_id, name, explorer_url, head_number, extract(epoch from head_timestamp)::float8 as head_seconds,
             confirmed_number, is_halted
      from chains order by chain_id`,
  );
  return rows;
}

/** A head that runs ahead of this clock does not lag. */
function lagSeconds({ head_seconds: headSeconds }: ChainRow, nowMs: number): number | null {
  return headSeconds === null ? null : Math.max(0, Math.floor(nowMs / 1000 - headSeconds));
}
