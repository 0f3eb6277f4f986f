// The routes of vaults as they are now: the public listing, the caller's list, and one vault's record.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Address } from "viem";
import type { Clock } from "../../platform/clock.ts";
import { Problem } from "../../platform/errors.ts";
import { etagOf, polled, weakEtagOf } from "../../platform/http/etag.ts";
import { route } from "../../platform/http/route.ts";
import { AddressPath, ChainId, OneOf, strictQuery } from "../../platform/http/schemas.ts";
import { whenAtHand } from "../../platform/kept.ts";
import type { Caller } from "../../platform/permission.ts";
import type { Book, Shelf } from "./book.ts";
import { type Entry, finishRecord, summaryJson, type Viewer, withoutAttention } from "./entry.ts";
import { OwnVaultsSchema, PublicVaultSchema, VaultRecordSchema } from "./schemas.ts";

export interface VaultRouteParts {
  book: Book;
  clock: Clock;
}

export function vaultRoutes(app: FastifyInstance, { book, clock }: VaultRouteParts): void {
  const listings = new Listings();

  route(
    app,
    "GET",
    "/api/v1/public/vaults",
    {
      schema: {
        tags: ["Vaults"],
        summary: "All vault deployments with TVL and APY",
        description:
          "Every vault that is followed, the largest by `tvl_usd` first (unknown ones last), then by address. Needs no token.",
        querystring: strictQuery({ chain_id: Type.Optional(ChainId) }),
        response: { 200: Type.Array(PublicVaultSchema) },
      },
      config: { permission: "public" },
    },
    (request, reply) => {
      const { chain_id: chainId } = request.query;
      return whenAtHand(shelvesOf(book, chainId), (shelves) => {
        const { body, etag } = listings.of(shelves);
        polled(request, reply, body, { etag, publicMaxAgeSeconds: PUBLIC_MAX_AGE_SECONDS });
      });
    },
  );

  route(
    app,
    "GET",
    "/api/v1/vaults",
    {
      schema: {
        tags: ["Vaults"],
        summary: "The caller's vaults",
        description:
          "The vaults on which the caller's wallet holds a role (for a registry maintainer: all), by chain and address. `fields=state` returns each as the whole record, for clients that poll many vaults.",
        querystring: strictQuery({
          fields: Type.Optional(OneOf(["state"], { description: "Whole records instead of short forms." })),
          chain_id: Type.Optional(ChainId),
        }),
        response: { 200: OwnVaultsSchema },
      },
      config: { permission: "own_vaults" },
    },
    async (request, reply) => {
      const { fields, chain_id: chainId } = request.query;
      const shelves = await shelvesOf(book, chainId);
      const nowMs = clock.now();
      const parts: string[] = [];
      const tags: string[] = [];
      for (const own of ownVaults(request.caller, shelves)) {
        const { entry, viewer, isTold, headSeconds } = own;
        const record = finishRecord(entry, viewer, nowMs, headSeconds);
        const { body, etag } = isTold ? record : withoutAttention(entry, record);
        parts.push(fields === "state" ? body : summaryJson(entry, own, nowMs, headSeconds));
        tags.push(etag);
      }
      const etag = weakEtagOf(`${fields} ${tags.join(" ")}`);
      return polled(request, reply, `{"vaults":[${parts.join(",")}]}`, { etag });
    },
  );

  route(
    app,
    "GET",
    "/api/v1/vaults/:chain_id/:address",
    {
      schema: {
        tags: ["Vaults"],
        summary: "A vault's state",
        description:
          "The vault as of the newest block that touched it, with its price's remaining time counted at the moment of the answer. The entity tag leaves that countdown out, and changes with `is_pps_stale`, `attention` and the `status` of a pending change. Poll it every 15 s.",
        params: AddressPath,
        response: { 200: VaultRecordSchema },
      },
      config: { permission: "authenticated" },
    },
    (request, reply) => {
      const { chain_id: chainId, address } = request.params;
      return whenAtHand(entryOf(book, chainId, address), ({ entry, headSeconds }) => {
        const { body, etag } = finishRecord(entry, viewerOf(request.caller, entry), clock.now(), headSeconds);
        polled(request, reply, body, { etag });
      });
    },
  );
}

/** How long shared caches may keep the public listing: about a block. */
export const PUBLIC_MAX_AGE_SECONDS = 5;

/** @throws Problem `chain_not_found` */
function shelvesOf(book: Book, chainId: number | undefined): readonly Shelf[] | Promise<readonly Shelf[]> {
  return chainId === undefined ? book.all() : whenAtHand(shelfOf(book, chainId), (shelf) => [shelf]);
}

/** @throws Problem `chain_not_found` */
export function shelfOf(book: Book, chainId: number): Shelf | Promise<Shelf> {
  return whenAtHand(book.shelf(chainId), (shelf) => {
    if (shelf) return shelf;
    throw new Problem("chain_not_found", `Chain ${chainId} is not one that this service follows.`);
  });
}

interface Found {
  entry: Entry;
  headSeconds: number | null;
}

/** @throws Problem `chain_not_found`, `vault_not_found` */
export function entryOf(book: Book, chainId: number, address: Address): Found | Promise<Found> {
  return whenAtHand(shelfOf(book, chainId), (shelf): Found | Promise<Found> => {
    const entry = shelf.entries.get(address);
    if (entry) return { entry, headSeconds: shelf.headSeconds };
    // It may have been announced since.
    book.invalidate(chainId);
    return whenAtHand(shelfOf(book, chainId), (again) => {
      const announced = again.entries.get(address);
      if (announced) return { entry: announced, headSeconds: again.headSeconds };
      throw new Problem("vault_not_found", `There is no vault ${address} on chain ${chainId}.`);
    });
  });
}

function viewerOf(caller: Caller, { chainId, address }: Entry): Viewer {
  const grant = caller.grants.find((each) => each.chainId === chainId && each.vaultAddress === address);
  return grant?.role ?? (caller.isMaintainer ? "registry_maintainer" : null);
}

interface OwnVault {
  entry: Entry;
  viewer: Viewer;
  /** What is wrong with it is told, as in the list of alerts: not of a vault on which anybody may have named the caller. */
  isTold: boolean;
  headSeconds: number | null;
}

function ownVaults(caller: Caller, shelves: readonly Shelf[]): OwnVault[] {
  if (caller.isMaintainer) {
    return shelves.flatMap(({ entries, headSeconds }) =>
      [...entries.values()].map((entry) => ({
        entry,
        viewer: viewerOf(caller, entry),
        isTold: true,
        headSeconds,
      })),
    );
  }
  const byChain = new Map(shelves.map((shelf) => [shelf.chainId, shelf]));
  return caller.grants.flatMap(({ chainId, vaultAddress, role, isAccepted: isTold }) => {
    const shelf = byChain.get(chainId);
    const entry = shelf?.entries.get(vaultAddress);
    return shelf && entry ? [{ entry, viewer: role, isTold, headSeconds: shelf.headSeconds }] : [];
  });
}

/** The public listing of some shelves as bytes, rebuilt only when one of them has changed. */
class Listings {
  readonly #kept = new Map<string, { versions: string; body: Buffer; etag: string }>();

  of(shelves: readonly Shelf[]): { body: Buffer; etag: string } {
    const key = shelves.length === 1 ? `${shelves[0]!.chainId}` : "all";
    const versions = shelves.map(({ version }) => version).join(" ");
    const kept = this.#kept.get(key);
    if (kept?.versions === versions) return kept;
    const entries = shelves.flatMap((shelf) => [...shelf.entries.values()]).sort(byValue);
    const body = Buffer.from(`[${entries.map(({ publicJson }) => publicJson).join(",")}]`);
    const made = { versions, body, etag: etagOf(body) };
    this.#kept.set(key, made);
    return made;
  }
}

/** The largest value first, unknown ones last, then by address. */
function byValue(a: Entry, b: Entry): number {
  if (a.tvlUsd !== b.tvlUsd) {
    if (a.tvlUsd === null) return 1;
    if (b.tvlUsd === null) return -1;
    return b.tvlUsd - a.tvlUsd;
  }
  if (a.address !== b.address) return a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1;
  return a.chainId - b.chainId;
}
