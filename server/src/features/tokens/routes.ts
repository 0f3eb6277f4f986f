// The public registry of token assets.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import type { SqlReads } from "../../platform/db/replica.ts";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { route } from "../../platform/http/route.ts";
import {
  AddressParam,
  AddressText,
  ChainId,
  ListParam,
  Nullable,
  named,
  strictQuery,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import { Kept } from "../../platform/kept.ts";
import { chainExists, loadTokens, type TokenRow } from "./store.ts";

export interface TokenRouteParts {
  db: Pick<Database, "kysely">;
  /** Where the tokens are read; `db` by default. */
  reads?: SqlReads;
  clock: Clock;
  /** The longest that an answer may lag behind the table; 1000 unless told. */
  maxAgeMs?: number;
}

const TokenAssetSchema = named(
  "TokenAsset",
  Type.Object({
    chain_id: ChainId,
    address: AddressText,
    symbol: Nullable(Type.String()),
    name: Nullable(Type.String()),
    decimals: Nullable(Type.Integer()),
    logo_uri: Nullable(Type.String({ description: "From a Token List of the configuration." })),
    price_usd: Nullable(Type.Number({ description: "US dollars for one whole token." })),
    price_updated_at: Nullable(Timestamp),
    price_source: Nullable(Type.String({ description: "chainlink, defillama or static." })),
    price_unavailable_reason: Nullable(Type.String({ description: "Why `price_usd` is null." })),
  }),
);

const PUBLIC_MAX_AGE_SECONDS = 30;

export function tokenRoutes(
  app: FastifyInstance,
  { db, reads = db, clock, maxAgeMs = 1000 }: TokenRouteParts,
): void {
  const tokens = new Kept(() => loadTokens(reads), maxAgeMs);

  route(
    app,
    "GET",
    "/api/v1/registry/token-assets",
    {
      schema: {
        tags: ["Tokens"],
        summary: "Token asset metadata",
        description:
          "Tokens that vaults hold or pay upkeep with, by chain and address. Symbols and names come from the token's contract, cleaned of characters that deceive; what it does not say is null. Needs no token.",
        querystring: strictQuery({
          chain_id: Type.Optional(ChainId),
          addresses: Type.Optional(
            ListParam(AddressParam, { description: "Only these, comma-separated or repeated." }),
          ),
        }),
        response: { 200: Type.Array(TokenAssetSchema) },
      },
      config: { permission: "public" },
    },
    async (request, reply) => {
      const { chain_id: chainId, addresses } = request.query;
      if (chainId !== undefined && !(await chainExists(db, chainId))) {
        throw new Problem("chain_not_found", `Chain ${chainId} is not one that this service follows.`);
      }
      const wanted = addresses && new Set<string>(addresses);
      const now = timestampOfMs(clock.now());
      const rows = (await tokens.get()).filter(
        (row) => (chainId === undefined || row.chain_id === chainId) && (!wanted || wanted.has(row.address)),
      );
      const body = JSON.stringify(rows.map((row) => assetOf(row, now)));
      return polled(request, reply, body, { publicMaxAgeSeconds: PUBLIC_MAX_AGE_SECONDS });
    },
  );
}

function assetOf(row: TokenRow, now: string) {
  const isOutdated = row.valid_until !== null && row.valid_until <= now;
  const reason = isOutdated
    ? "price_outdated"
    : row.checked_at === null
      ? "not_priced_yet"
      : row.unavailable_reason;
  const isPriced = row.price_usd_e18 !== null && !isOutdated;
  return {
    chain_id: row.chain_id,
    address: row.address,
    symbol: row.symbol,
    name: row.name,
    decimals: row.decimals,
    logo_uri: row.logo_uri,
    // Decimal text is parsed with one correct rounding.
    price_usd: isPriced ? Number(`${row.price_usd_e18}e-18`) : null,
    price_updated_at: isPriced ? row.priced_at : null,
    price_source: isPriced ? row.source : null,
    price_unavailable_reason: reason,
  };
}
