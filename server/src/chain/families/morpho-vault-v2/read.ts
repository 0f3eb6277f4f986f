// A vault's state at one block. What is asked next follows from what was answered: how many adapters there are and which, which of them pays
// withdrawals and from where. So each reading begins with what the last one found, asks for all of it at once, and asks again only where the
// answers say that it has changed: in the steady state one aggregate reads every vault.
import { type Address, zeroAddress } from "viem";
import { MULTICALL3 } from "../../client/calls.ts";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault } from "../../directory.ts";
import type { Tracked, TrackedOf } from "../../governance.ts";
import { NO_STATE, NOT_READ, NOTHING_READ, type VaultReading, type VaultState } from "../../reading.ts";
import { isChainFault } from "../../rpc/fault.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import type { OpenRequests } from "../family/family.ts";
import { addSharePrice } from "../family/share-price.ts";
import { DEFAULT_DECIMALS, VIEWS } from "../family/vault-views.ts";
import { ifRead, readEach, ViewBatch } from "../family/view.ts";
import { askForAllocations } from "./allocations.ts";
import { askForCalls } from "./calls.ts";
import { askForLiquidity, type LiquidityPath, NO_PATH } from "./liquidity.ts";
import { blockTimestamp, VAULT_VIEWS } from "./views.ts";

/** What a reading takes for granted when it asks; the answers say whether it holds. */
interface Plan {
  adapterCount: number;
  adapters: readonly Address[];
  liquidity: LiquidityPath;
}

const WAD = 10n ** 18n;
const YEAR_SECONDS = 365n * 86_400n;
/** As many adapters as a reading asks for: a contract may claim any number. */
const MOST_ADAPTERS = 100;
/** Until a plan holds: count, addresses, what they put assets into. */
const MOST_ROUNDS = 5;

/** Reads vaults; remembers of each what the next reading begins with, and nothing that it would take for an answer. */
export function createReader() {
  const plans = new Map<Address, Plan>();

  return async function read(
    client: ChainClient,
    vaults: readonly KnownVault[],
    at: BlockRef,
    _requests: OpenRequests = new Map(),
    tracked: TrackedOf = new Map(),
  ): Promise<VaultReading[]> {
    const readings = new Map<KnownVault, VaultReading>();
    const begun = await begin(client, vaults, at, plans);
    let open: { vault: KnownVault; plan: Plan }[] = [];
    for (const [vault, plan] of begun) {
      if ("adapterCount" in plan) open.push({ vault, plan });
      else readings.set(vault, plan);
    }
    for (let round = 1; open.length > 0; round += 1) {
      const batch = new ViewBatch();
      const now = timeOf(batch, at);
      const asked = open.map((each) => ({
        ...each,
        ...ask(batch, each.vault, each.plan, tracked.get(each.vault.address), now),
      }));
      await batch.run(client, at);
      open = [];
      for (const { vault, plan, planFound, reading } of asked) {
        const found = planFound();
        plans.set(vault.address, found);
        if (round < MOST_ROUNDS && !isSame(plan, found)) open.push({ vault, plan: found });
        else readings.set(vault, reading());
      }
    }
    return vaults.map((vault) => readings.get(vault)!);
  };
}

/**
 * What each vault's reading begins with. Of one that was never read only the number of its adapters is asked: what does not even answer that
 * is no vault of this kind, and is asked no more.
 */
async function begin(
  client: ChainClient,
  vaults: readonly KnownVault[],
  at: BlockRef,
  plans: ReadonlyMap<Address, Plan>,
): Promise<[KnownVault, Plan | VaultReading][]> {
  const batch = new ViewBatch();
  const asked = vaults.map((vault) => {
    const plan = plans.get(vault.address);
    return [
      vault,
      plan ? () => plan : firstPlan(batch.add(vault.address, VAULT_VIEWS.adaptersLength), vault),
    ] as const;
  });
  await batch.run(client, at);
  return asked.map(([vault, plan]) => [vault, plan()]);
}

function firstPlan(adaptersLength: () => bigint | null, vault: KnownVault): () => Plan | VaultReading {
  return () => {
    const ppsDecimals = vault.assetDecimals ?? DEFAULT_DECIMALS;
    try {
      const count = adaptersLength();
      if (count === null) return { ...NOTHING_READ, ppsDecimals };
      return { adapterCount: atMost(count), adapters: [], liquidity: NO_PATH };
    } catch (error) {
      if (!isChainFault(error, "unread")) throw error;
      return { ...NOT_READ, ppsDecimals };
    }
  };
}

function atMost(count: bigint): number {
  return count > MOST_ADAPTERS ? MOST_ADAPTERS : Number(count);
}

function isSame(plan: Plan, found: Plan): boolean {
  return JSON.stringify(plan) === JSON.stringify(found);
}

/** A block's time is mostly known beforehand; else the block itself tells it. */
function timeOf(batch: ViewBatch, at: BlockRef): () => bigint | null {
  if (at !== "latest" && at.timestamp !== undefined) {
    const time = BigInt(at.timestamp);
    return () => time;
  }
  return batch.add(MULTICALL3, blockTimestamp);
}

function ask(
  batch: ViewBatch,
  vault: KnownVault,
  plan: Plan,
  tracked: Tracked | undefined,
  now: () => bigint | null,
) {
  const { address } = vault;
  const views = {
    price: addSharePrice(batch, vault),
    totalAssets: batch.add(address, VIEWS.totalAssets),
    totalSupply: batch.add(address, VIEWS.totalSupply),
    idleAssets: batch.add(vault.asset, VIEWS.balanceOf, address),
    name: batch.add(address, VIEWS.name),
    symbol: batch.add(address, VIEWS.symbol),
    owner: batch.add(address, VAULT_VIEWS.owner),
    curator: batch.add(address, VAULT_VIEWS.curator),
    performanceFee: batch.add(address, VAULT_VIEWS.performanceFee),
    performanceFeeRecipient: batch.add(address, VAULT_VIEWS.performanceFeeRecipient),
    managementFee: batch.add(address, VAULT_VIEWS.managementFee),
    managementFeeRecipient: batch.add(address, VAULT_VIEWS.managementFeeRecipient),
    adaptersLength: batch.add(address, VAULT_VIEWS.adaptersLength),
  };
  const adapters = Array.from({ length: plan.adapterCount }, (_, nth) =>
    batch.add(address, VAULT_VIEWS.adapters, BigInt(nth)),
  );
  const holders = [...(tracked?.role?.values() ?? [])].map((value) => {
    const { role, account } = value as { role: "allocator" | "sentinel"; account: Address };
    const isHeld = role === "allocator" ? VAULT_VIEWS.isAllocator : VAULT_VIEWS.isSentinel;
    return { role, account, isHeld: batch.add(address, isHeld, account) };
  });
  const allocations = askForAllocations(batch, address, plan.adapters, tracked);
  const liquidity = askForLiquidity(batch, address, plan.liquidity);
  const calls = askForCalls(batch, address, tracked);
  const held = () =>
    holders.filter(({ isHeld }) => isHeld() === true).map(({ role, account }) => ({ role, account }));

  const planFound = (): Plan => {
    const count = ifRead(views.adaptersLength);
    return {
      adapterCount: count === null ? plan.adapterCount : atMost(count),
      // One that was not read is taken to be as it was.
      adapters: adapters.flatMap((adapter, nth) => ifRead(adapter) ?? plan.adapters[nth] ?? []),
      liquidity: liquidity.pathFound(),
    };
  };

  const reading = (): VaultReading => {
    // What need not be there: a token's symbol, the block's time.
    const [allocationsIn, time] = [allocations(), ifRead(now)];
    const state = readEach<VaultState>(NO_STATE, {
      pps: () => views.price.pps(views.totalSupply()),
      ppsE18: () => views.price.ppsE18(views.totalSupply()),
      ppsDecimals: () => vault.assetDecimals ?? DEFAULT_DECIMALS,
      totalAssets: views.totalAssets,
      totalSupply: views.totalSupply,
      freeAssets: views.idleAssets,
      managers: () => ({
        primary: vault.configuredPrimary ?? somebody(views.owner()),
        secondary: [...new Set(held().map(({ account }) => account))],
      }),
      contractRoles: () => [
        ...roleOf("owner", views.owner()),
        ...roleOf("curator", views.curator()),
        ...held(),
      ],
      allocations: () => {
        views.adaptersLength();
        for (const adapter of adapters) adapter();
        return allocationsIn();
      },
      liquidity: () => liquidity.read(views.idleAssets(), plan.adapters),
      feeRates: () => ({
        performanceFeeE18: views.performanceFee(),
        performanceFeeRecipient: somebody(views.performanceFeeRecipient()),
        managementFeeE18: perYear(views.managementFee()),
        managementFeeRecipient: somebody(views.managementFeeRecipient()),
      }),
      fees: () => {
        const [performance, management] = [views.performanceFee(), perYear(views.managementFee())];
        if (performance === null || management === null) return null;
        const recipient =
          somebody(views.performanceFeeRecipient()) ?? views.managementFeeRecipient() ?? zeroAddress;
        return { performanceFeeBps: inBps(performance), managementFeeBps: inBps(management), recipient };
      },
      pendingChanges: () => {
        const sentinels = held().flatMap(({ role, account }) => (role === "sentinel" ? [account] : []));
        const curator = somebody(views.curator());
        const revocableBy = [...new Set([...(curator ? [curator] : []), ...sentinels])];
        return calls({ now: time, revocableBy });
      },
    });
    return { ...state, name: ifRead(views.name), symbol: ifRead(views.symbol), redeemRequests: [] };
  };
  return { planFound, reading };
}

function somebody(account: Address | null): Address | null {
  return account === zeroAddress ? null : account;
}

function roleOf(role: string, account: Address | null) {
  const holder = somebody(account);
  return holder === null ? [] : [{ role, account: holder }];
}

function perYear(perSecond: bigint | null): bigint | null {
  return perSecond === null ? null : perSecond * YEAR_SECONDS;
}

/** The nearest. */
function inBps(fraction: bigint): bigint {
  return (fraction * 10_000n + WAD / 2n) / WAD;
}
