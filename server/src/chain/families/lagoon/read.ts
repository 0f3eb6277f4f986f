// A Lagoon vault's state at one block. The views are the truth; what has none comes from what the vault's events said (track.ts), and is null
// where the vault is followed from later on.
//
// What a settlement owes and what there is to pay it with stand beside each other: the contract pays redemptions from the Safe's balance,
// all or none, and says nothing where that is too little.
import type { Address } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import { isZero } from "../../address.ts";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault } from "../../directory.ts";
import type { Tracked, TrackedOf } from "../../governance.ts";
import type { Managers } from "../../managers.ts";
import { type ContractRoleHolder, NO_STATE, type VaultReading, type VaultState } from "../../reading.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import { lesser } from "../family/amounts.ts";
import type { Access, OpenRequests, RedeemRequest } from "../family/family.ts";
import { addRedeemRequests } from "../family/redeem-requests.ts";
import { addSharePrice } from "../family/share-price.ts";
import { DEFAULT_DECIMALS, VIEWS } from "../family/vault-views.ts";
import { ifRead, readEach, toSeconds, ViewBatch } from "../family/view.ts";
import { addAdmin, pendingChanges } from "./pending.ts";
import { amountOf, remembered } from "./track.ts";
import { LAGOON_VIEWS, type Seats, SYNC_BOTH, SYNC_REDEEM } from "./views.ts";

const MOST_REMEMBERED = 20_000;

/**
 * Reads vaults. What is owed is paid from what stands with the Safe: a reading takes the Safe to be the last one's and asks again only where
 * it is another, so that in the steady state one aggregate reads every vault.
 */
export function createReader() {
  const safeBefore = new BoundedCache<string, Address>(MOST_REMEMBERED);

  return async function read(
    client: ChainClient,
    vaults: readonly KnownVault[],
    at: BlockRef,
    requests: OpenRequests = new Map(),
    trackedOf: TrackedOf = new Map(),
  ): Promise<VaultReading[]> {
    const keyOf = ({ address }: KnownVault) => `${client.chainId}:${address}`;
    const unknown = new ViewBatch();
    const begun = vaults.map((vault) => {
      const safe = safeBefore.get(keyOf(vault));
      return [vault, safe ? () => ({ safe }) : unknown.add(vault.address, LAGOON_VIEWS.seats)] as const;
    });
    await unknown.run(client, at);

    const ask = (batch: ViewBatch, vault: KnownVault, safe: Address) => {
      const tracked = trackedOf.get(vault.address);
      return addViews(batch, { vault, safe, tracked, requests: requests.get(vault.address) ?? [] });
    };
    const first = new ViewBatch();
    const asked = begun.map(([vault, seats]) => {
      const safe = ifRead(seats)?.safe;
      return safe ? ask(first, vault, safe) : ask(new NothingAsked(seats), vault, vault.address);
    });
    await first.run(client, at);

    const second = new ViewBatch();
    const answered = asked.map((views) => {
      const safe = ifRead(views.seats)?.safe;
      if (safe === undefined) return views;
      safeBefore.set(keyOf(views.vault), safe);
      return safe === views.safe ? views : ask(second, views.vault, safe);
    });
    await second.run(client, at);
    return answered.map((views) => {
      const { name, symbol, tracked } = views;
      const state = readEach<VaultState>(NO_STATE, fieldsOf(views, tracked));
      return { ...state, name: ifRead(name), symbol: ifRead(symbol), redeemRequests: views.redeemRequests() };
    });
  };
}

/** What names no seats is no vault of this family (any more): nothing further is asked of it, and every answer is as that one. */
class NothingAsked extends ViewBatch {
  readonly #seats: Answer<unknown>;

  constructor(seats: Answer<unknown>) {
    super();
    this.#seats = seats;
  }

  override add(): () => null {
    return () => {
      this.#seats();
      return null;
    };
  }
}

interface AskedOf {
  vault: KnownVault;
  safe: Address;
  tracked: Tracked | undefined;
  requests: readonly RedeemRequest[];
}

function addViews(batch: ViewBatch, { vault, safe, tracked, requests }: AskedOf) {
  const { address, asset } = vault;
  return {
    vault,
    safe,
    tracked,
    seats: batch.add(address, LAGOON_VIEWS.seats),
    price: addSharePrice(batch, vault),
    totalAssets: batch.add(address, VIEWS.totalAssets),
    totalSupply: batch.add(address, VIEWS.totalSupply),
    inVault: batch.add(asset, VIEWS.balanceOf, address),
    inSafe: batch.add(asset, VIEWS.balanceOf, safe),
    isPaused: batch.add(address, VIEWS.paused),
    owner: batch.add(address, VIEWS.owner),
    pendingOwner: batch.add(address, LAGOON_VIEWS.pendingOwner),
    rates: batch.add(address, LAGOON_VIEWS.rates),
    isValid: batch.add(address, LAGOON_VIEWS.isTotalAssetsValid),
    syncMode: batch.add(address, LAGOON_VIEWS.syncMode),
    admin: addAdmin(batch, vault, tracked),
    name: batch.add(address, VIEWS.name),
    symbol: batch.add(address, VIEWS.symbol),
    redeemRequests: addRedeemRequests(batch, address, requests),
  };
}

type Answer<T> = () => T | null;

type Views = ReturnType<typeof addViews>;

function fieldsOf(
  views: Views,
  tracked: Tracked | undefined,
): { [K in keyof VaultState]?: () => VaultState[K] } {
  return {
    pps: () => views.price.pps(views.totalSupply()),
    ppsE18: () => views.price.ppsE18(views.totalSupply()),
    ppsDecimals: () => views.vault.assetDecimals ?? DEFAULT_DECIMALS,
    totalAssets: views.totalAssets,
    totalSupply: views.totalSupply,
    // Settled and yet to be claimed; of a closed vault all there is.
    escrowedAssets: views.inVault,
    freeAssets: () => (views.seats() === null ? null : views.inSafe()),
    isPaused: views.isPaused,
    hwmPps: () => amountOf(remembered(tracked, "high_water_mark"), "price"),
    fees: () => feesOf(views),
    feeRates: () => feeRatesOf(views),
    managers: () => managersOf(views),
    contractRoles: () => rolesOf(views),
    liquidity: () => liquidityOf(views, tracked),
    nav: () => navOf(views, tracked),
    pendingChanges: () => pendingChanges(views, tracked),
  };
}

function feesOf({ rates, seats }: Views): VaultState["fees"] {
  const [current, holders] = [rates(), seats()];
  if (current === null || holders === null) return null;
  const { performanceBps: performanceFeeBps, managementBps: managementFeeBps } = current;
  return { performanceFeeBps, managementFeeBps, recipient: holders.feeReceiver };
}

/** A basis point × 10^18. */
const BPS_E18 = 10n ** 14n;

function feeRatesOf({ rates, seats }: Views): VaultState["feeRates"] {
  const [current, holders] = [rates(), seats()];
  if (current === null || holders === null) return null;
  return {
    performanceFeeE18: current.performanceBps * BPS_E18,
    performanceFeeRecipient: holders.feeReceiver,
    managementFeeE18: current.managementBps * BPS_E18,
    managementFeeRecipient: holders.feeReceiver,
  };
}

/** What the holder of a role may do here; who is in none of them, nothing. */
export const ACCESS: Access = {
  owner: "primary",
  safe: "primary",
  valuation_manager: "secondary",
  whitelist_manager: "secondary",
  security_council: "secondary",
  fee_receiver: null,
  super_operator: null,
};

export function managersOf(views: {
  vault: Pick<KnownVault, "configuredPrimary">;
  owner: Answer<Address>;
  seats: Answer<Seats>;
}): Managers {
  const holders = rolesOf(views);
  const owner = holders.find(({ role }) => role === "owner")?.account ?? null;
  const others = holders.filter(({ role }) => role !== "owner" && ACCESS[role] != null);
  return {
    primary: views.vault.configuredPrimary ?? owner,
    secondary: [...new Set(others.map(({ account }) => account))].filter((account) => account !== owner),
  };
}

function rolesOf({ owner, seats }: Pick<Views, "owner" | "seats">): ContractRoleHolder[] {
  const holders = seats();
  const named: [string, Address | null | undefined][] = [
    ["owner", owner()],
    ["safe", holders?.safe],
    ["valuation_manager", holders?.valuationManager],
    ["whitelist_manager", holders?.whitelistManager],
    ["fee_receiver", holders?.feeReceiver],
    ["security_council", holders?.securityCouncil],
    ["super_operator", holders?.superOperator],
  ];
  return named.flatMap(([role, account]) => (account == null || isZero(account) ? [] : [{ role, account }]));
}

const CLOSED = 2n;

/**
 * Exits wait for a settlement. Of a closed vault they are paid at once from what it holds; so they are by 0.6.0 from the Safe, while the
 * valuation counts and the mode allows it.
 */
function liquidityOf(views: Views, tracked: Tracked | undefined): VaultState["liquidity"] {
  const [inVault, inSafe, totalAssets, isPaused] = [
    views.inVault(),
    views.inSafe(),
    views.totalAssets(),
    views.isPaused(),
  ];
  if (views.seats() === null || inVault === null || inSafe === null || totalAssets === null) return null;
  if (amountOf(remembered(tracked, "state"), "state") === CLOSED) {
    const withdrawableAssets = isPaused === true ? 0n : lesser(inVault, totalAssets);
    return { idleAssets: inVault, withdrawableAssets, isExitImmediate: true };
  }
  const mode = views.syncMode();
  const isExitImmediate =
    (mode === SYNC_BOTH || mode === SYNC_REDEEM) && views.isValid() === true && !isPaused;
  return {
    idleAssets: inSafe,
    withdrawableAssets: isExitImmediate ? lesser(inSafe, totalAssets) : null,
    isExitImmediate,
  };
}

/** What is proposed, until when what stands counts, and what those who wait in the proposal would be owed. */
function navOf(views: Views, tracked: Tracked | undefined): VaultState["nav"] {
  const proposal = remembered(tracked, "nav");
  const proposedTotalAssets = amountOf(proposal, "total_assets");
  return {
    proposedTotalAssets,
    proposedAt: toSeconds(amountOf(proposal, "at")),
    validUntil: views.isValid() === true ? validUntil(tracked) : null,
    owedAssets: owedAssets(views, tracked, proposedTotalAssets),
  };
}

/** 0.6.0 says so itself; 0.5.1 counts the lifespan from the valuation on. */
function validUntil(tracked: Tracked | undefined): number | null {
  const said = amountOf(remembered(tracked, "expiration"), "at");
  if (said !== null) return toSeconds(said);
  const valued = amountOf(remembered(tracked, "valued"), "at");
  const lifespan = amountOf(remembered(tracked, "lifespan"), "seconds");
  return valued === null || lifespan === null ? null : toSeconds(valued + lifespan);
}

/** At the price that is proposed, else at the one that stands; the fees of the settlement, which lower it a little, are not in it. */
function owedAssets(views: Views, tracked: Tracked | undefined, proposed: bigint | null): bigint | null {
  const shares = amountOf(remembered(tracked, "due"), "shares");
  if (shares === null) return null;
  const [totalAssets, totalSupply, rates] = [views.totalAssets(), views.totalSupply(), views.rates()];
  const { shareDecimals, assetDecimals } = views.vault;
  if (totalAssets === null || totalSupply === null || rates === null) return null;
  const virtualShares = 10n ** BigInt(Math.max(0, (shareDecimals ?? 0) - (assetDecimals ?? 0)));
  const fee = (shares * rates.exitBps + 9_999n) / 10_000n;
  return ((shares - fee) * ((proposed ?? totalAssets) + 1n)) / (totalSupply + virtualShares);
}
