// A Yearn V3 vault's state at one block. Who holds roles and which strategies stand outside the queue no view lists: events name them, and
// the views are asked about each.
//
// What could be paid out at once is what is idle and what the strategies of the default queue would give, each no more than its debt: as the
// contract goes about it. Debt is booked: what a strategy lost counts in the price once it is reported, and until then it is `lostAssets`.
import type { Address } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault } from "../../directory.ts";
import type { Tracked, TrackedOf } from "../../governance.ts";
import type { Managers } from "../../managers.ts";
import {
  type Allocation,
  NO_STATE,
  type PendingChange,
  type VaultReading,
  type VaultState,
} from "../../reading.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import { lesser } from "../family/amounts.ts";
import type { OpenRequests } from "../family/family.ts";
import { addSharePrice } from "../family/share-price.ts";
import { DEFAULT_DECIMALS, VIEWS } from "../family/vault-views.ts";
import { ifRead, readEach, ViewBatch } from "../family/view.ts";
import { nobodyAsNull } from "./decode.ts";
import { ACCESS, rolesIn } from "./roles.ts";
import { STRATEGY_VIEWS, YEARN_VIEWS } from "./views.ts";

/** The contract's own most, and how many strategies outside the queue and holders of roles are asked about. */
const MOST_IN_QUEUE = 10;
const MOST_TRACKED = 100;
const MOST_REMEMBERED = 20_000;
const UNLIMITED = 2n ** 256n - 1n;

/** What a vault had in a strategy when it was last read. */
interface Shares {
  shares: bigint;
  redeemable: bigint;
}

/**
 * Reads vaults. Every strategy that events named is asked about at once, and what shares are worth of as many as there were last: only what
 * has moved since costs a round more, and so does a strategy that is known from the queue alone (of a vault followed from late on) once.
 */
export function createReader() {
  const before = new BoundedCache<string, Shares>(MOST_REMEMBERED);
  const queuedBefore = new BoundedCache<string, readonly Address[]>(MOST_REMEMBERED);

  return async function read(
    client: ChainClient,
    vaults: readonly KnownVault[],
    at: BlockRef,
    _requests: OpenRequests = new Map(),
    tracked: TrackedOf = new Map(),
  ): Promise<VaultReading[]> {
    const keyOf = (vault: KnownVault, strategy = "") => `${client.chainId}:${vault.address}:${strategy}`;
    const ask = (batch: ViewBatch, vault: KnownVault, strategies: readonly Address[]) =>
      strategies.map((strategy) => addPosition(batch, vault, strategy, before.get(keyOf(vault, strategy))));
    const first = new ViewBatch();
    const own = vaults.map((vault) => {
      const known = tracked.get(vault.address);
      const named = new Set([...(known?.strategy?.keys() ?? [])].slice(0, MOST_TRACKED) as Address[]);
      const all = named.union(new Set(queuedBefore.get(keyOf(vault))));
      return { ...addViews(first, vault, known), named, asked: ask(first, vault, [...all]) };
    });
    await first.run(client, at);
    const second = new ViewBatch();
    const more = own.map(({ named, asked, ...views }) => {
      const { vault } = views;
      const told = ifRead(views.queue)?.slice(0, MOST_IN_QUEUE);
      if (told) queuedBefore.set(keyOf(vault), told);
      const queue = told ?? queuedBefore.get(keyOf(vault)) ?? [];
      const known = asked.filter(({ strategy }) => named.has(strategy) || queue.includes(strategy));
      const late = new Set(queue.filter((each) => !known.some(({ strategy }) => strategy === each)));
      return {
        ...views,
        known: known.map((each) => addWorth(second, each)),
        late: ask(second, vault, [...late]),
      };
    });
    await second.run(client, at);
    const third = new ViewBatch();
    const asked = more.map(({ known, late, ...views }) => ({
      ...views,
      positions: [...known, ...late.map((each) => addWorth(third, each))],
    }));
    await third.run(client, at);
    for (const { vault, positions } of asked)
      for (const { strategy, shares, redeemable } of positions)
        before.set(keyOf(vault, strategy), {
          shares: ifRead(shares) ?? 0n,
          redeemable: ifRead(redeemable) ?? 0n,
        });
    return asked.map((views) => {
      const state = readEach<VaultState>(NO_STATE, {
        pps: () => views.price.pps(views.totalSupply()),
        ppsE18: () => views.price.ppsE18(views.totalSupply()),
        ppsDecimals: () => views.vault.assetDecimals ?? DEFAULT_DECIMALS,
        totalAssets: views.totalAssets,
        totalSupply: views.totalSupply,
        freeAssets: views.totalIdle,
        managers: () => managersOf(views),
        contractRoles: () => rolesOf(views),
        allocations: () => allocationsOf(views),
        liquidity: () => liquidityOf(views),
        lostAssets: () => lostAssetsOf(views),
        pendingChanges: () => pendingChangesOf(views),
      });
      return { ...state, name: ifRead(views.name), symbol: ifRead(views.symbol), redeemRequests: [] };
    });
  };
}

function addViews(batch: ViewBatch, vault: KnownVault, tracked: Tracked | undefined) {
  const { address } = vault;
  const accounts = [...(tracked?.role?.keys() ?? [])].slice(0, MOST_TRACKED) as Address[];
  return {
    vault,
    price: addSharePrice(batch, vault),
    totalAssets: batch.add(address, VIEWS.totalAssets),
    totalSupply: batch.add(address, VIEWS.totalSupply),
    totalIdle: batch.add(address, YEARN_VIEWS.totalIdle),
    queue: batch.add(address, YEARN_VIEWS.defaultQueue),
    withdrawLimitModule: batch.add(address, YEARN_VIEWS.withdrawLimitModule),
    roleManager: batch.add(address, YEARN_VIEWS.roleManager),
    futureRoleManager: batch.add(address, YEARN_VIEWS.futureRoleManager),
    roles: accounts.map((account) => ({ account, mask: batch.add(address, YEARN_VIEWS.roles, account) })),
    name: batch.add(address, VIEWS.name),
    symbol: batch.add(address, VIEWS.symbol),
  };
}

type Views = ReturnType<typeof addViews> & { positions: Position[] };
type Position = ReturnType<typeof addWorth>;

function addPosition(batch: ViewBatch, vault: KnownVault, strategy: Address, last: Shares | undefined) {
  const inAssets = (shares: bigint) => batch.add(strategy, VIEWS.convertToAssets, shares);
  return {
    strategy,
    params: batch.add(vault.address, YEARN_VIEWS.strategies, strategy),
    shares: batch.add(strategy, VIEWS.balanceOf, vault.address),
    redeemable: batch.add(strategy, STRATEGY_VIEWS.maxRedeem, vault.address),
    name: batch.add(strategy, VIEWS.name),
    guess: last && { ...last, worth: inAssets(last.shares), withdrawable: inAssets(last.redeemable) },
  };
}

/** What the vault's shares of a strategy are worth, and those that it would redeem now. */
function addWorth(batch: ViewBatch, { guess, ...position }: ReturnType<typeof addPosition>) {
  const [shares, redeemable] = [ifRead(position.shares), ifRead(position.redeemable)];
  const inAssets = (
    of: bigint | null,
    guessed: bigint | undefined,
    answer: (() => bigint | null) | undefined,
  ) => {
    if (of === null) return () => null;
    return of === guessed ? answer! : batch.add(position.strategy, VIEWS.convertToAssets, of);
  };
  return {
    ...position,
    worth: inAssets(shares, guess?.shares, guess?.worth),
    withdrawable: inAssets(redeemable, guess?.redeemable, guess?.withdrawable),
  };
}

function isActive({ params }: Position): boolean {
  return (params()?.activation ?? 0n) > 0n;
}

interface Managed {
  vault: { configuredPrimary: Address | null };
  roleManager: () => Address | null;
  roles: readonly { account: Address; mask: () => bigint | null }[];
}

function rolesOf({ roleManager, roles }: Managed): VaultState["contractRoles"] {
  const manager = nobodyAsNull(roleManager());
  return [
    ...(manager === null ? [] : [{ role: "role_manager", account: manager }]),
    ...roles.flatMap(({ account, mask }) => rolesIn(mask() ?? 0n).map((role) => ({ role, account }))),
  ];
}

export function managersOf(views: Managed): Managers {
  const manager = nobodyAsNull(views.roleManager());
  const holders = rolesOf(views).filter(({ role }) => ACCESS[role] === "secondary");
  return {
    primary: views.vault.configuredPrimary ?? manager,
    secondary: [...new Set(holders.map(({ account }) => account))].filter((account) => account !== manager),
  };
}

/** Debt may stand to a strategy of which the shares could not be read: its worth is null then, and its cap is known all the same. */
function allocationsOf({ positions }: Views): Allocation[] {
  return positions.filter(isActive).map(({ strategy, params, name, shares, worth }) => {
    const cap = params()!.maxDebt;
    return {
      id: strategy,
      kind: "strategy",
      address: strategy,
      label: ifRead(name),
      assets: shares() === null ? null : worth(),
      absoluteCap: cap === UNLIMITED ? null : cap,
      isAbsoluteCapped: cap !== UNLIMITED,
      relativeCapE18: null,
      isRelativeCapped: false,
    };
  });
}

/** Who leaves is paid in the same transaction. Where a module limits withdrawals, how much that is depends on who asks. */
function liquidityOf({ totalIdle, queue, withdrawLimitModule, positions }: Views): VaultState["liquidity"] {
  const [idleAssets, order, module] = [totalIdle(), queue(), withdrawLimitModule()];
  if (idleAssets === null || order === null) return null;
  if (nobodyAsNull(module) !== null) return { idleAssets, withdrawableAssets: null, isExitImmediate: true };
  let withdrawableAssets: bigint | null = idleAssets;
  for (const position of positions) {
    if (!order.includes(position.strategy) || !isActive(position)) continue;
    const debt = position.params()!.currentDebt;
    const [worth, withdrawable] = [position.worth(), position.withdrawable()];
    if (withdrawableAssets === null || worth === null || withdrawable === null) {
      withdrawableAssets = null;
      continue;
    }
    withdrawableAssets += lesser(debt, lesser(worth, withdrawable));
  }
  return { idleAssets, withdrawableAssets, isExitImmediate: true };
}

/** What strategies lost since they were last reported; null where one does not say what it is worth. */
function lostAssetsOf({ positions }: Views): bigint | null {
  let lost = 0n;
  for (const position of positions.filter(isActive)) {
    const worth = position.worth();
    if (worth === null) return null;
    const debt = position.params()!.currentDebt;
    if (worth < debt) lost += debt - worth;
  }
  return lost;
}

function pendingChangesOf({ roleManager, futureRoleManager }: Views): PendingChange[] {
  const proposed = nobodyAsNull(futureRoleManager());
  if (proposed === null) return [];
  const current = roleManager();
  return [{ kind: "primary_manager", current, proposed, proposer: current, effectiveAt: null }];
}
