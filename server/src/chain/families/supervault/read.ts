// A SuperVault's state at one block: price, pause, managers and upkeep from the aggregator under the strategy's address, fees and
// yield sources from the strategy, supply and assets from the vault. Two rounds of views for any number of vaults.
//
// Not read, because no view tells it: a pending fee configuration, and who proposed a pending change. Facts tell both.
import { type Address, zeroAddress, zeroHash } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault, Source } from "../../directory.ts";
import { NO_STATE, type PendingChange, type VaultReading, type VaultState } from "../../reading.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import { DEFAULT_DECIMALS, VIEWS } from "../family/vault-views.ts";
import { ifRead, readEach, toSeconds, ViewBatch } from "../family/view.ts";
import {
  AGGREGATOR_VIEWS,
  GLOBAL_ROOT_VETOED,
  SOURCE_ORACLE_VIEWS,
  STRATEGY_VIEWS,
  VAULT_VIEWS,
} from "./abi.ts";
import { askTerms, askUpkeep } from "./upkeep.ts";

/** Most that is taken over of what a strategy lists. */
const MOST_LISTED = 256;

export async function read(
  client: ChainClient,
  vaults: readonly KnownVault[],
  at: BlockRef,
): Promise<VaultReading[]> {
  const first = new ViewBatch();
  const termsOf = askTerms(first, vaults);
  const isGlobalRootVetoedOf = askGlobalVetoes(first, vaults);
  const asked = vaults.map((vault) => ask(first, vault));
  await first.run(client, at);

  const second = new ViewBatch();
  const sources = asked.map(({ vault, yieldSources }) =>
    (ifRead(yieldSources) ?? []).slice(0, MOST_LISTED).map(({ sourceAddress, oracle }) => ({
      address: sourceAddress,
      oracle,
      allocation: second.add(
        oracle,
        SOURCE_ORACLE_VIEWS.getTVLByOwnerOfShares,
        sourceAddress,
        vault.strategy,
      ),
    })),
  );
  const upkeepOf = askUpkeep(second, asked, termsOf);
  await second.run(client, at);

  return asked.map((views, index) =>
    toReading(views, sources[index]!, upkeepOf(views.vault), isGlobalRootVetoedOf(views.vault.source)),
  );
}

type Listed = { address: Address; oracle: Address; allocation: () => bigint | null };
type Views = ReturnType<typeof ask>;

function ask(batch: ViewBatch, vault: KnownVault) {
  const aggregator = vault.source.address;
  const strategy = vault.strategy ?? zeroAddress;
  const byStrategy = Object.fromEntries(
    Object.entries(AGGREGATOR_VIEWS)
      .filter(([name]) => name !== "superGovernor")
      .map(([name, each]) => [name, batch.add(aggregator, each as never, strategy)]),
  ) as {
    [K in Exclude<keyof typeof AGGREGATOR_VIEWS, "superGovernor">]: () => ReturnType<
      (typeof AGGREGATOR_VIEWS)[K]["decode"]
    >;
  };
  return {
    vault,
    ...byStrategy,
    fees: batch.add(strategy, STRATEGY_VIEWS.getConfigInfo),
    hwmPps: batch.add(strategy, STRATEGY_VIEWS.vaultHwmPps),
    ppsExpiration: batch.add(strategy, STRATEGY_VIEWS.ppsExpiration),
    proposedExpiration: batch.add(strategy, STRATEGY_VIEWS.proposedPPSExpiryThreshold),
    expirationEffectiveTime: batch.add(strategy, STRATEGY_VIEWS.ppsExpiryThresholdEffectiveTime),
    yieldSources: batch.add(strategy, STRATEGY_VIEWS.getYieldSourcesList),
    totalAssets: batch.add(vault.address, VIEWS.totalAssets),
    totalSupply: batch.add(vault.address, VIEWS.totalSupply),
    escrowedAssets: batch.add(vault.address, VAULT_VIEWS.getEscrowedAssets),
    name: batch.add(vault.address, VIEWS.name),
    symbol: batch.add(vault.address, VIEWS.symbol),
    freeAssets: batch.add(vault.asset, VIEWS.balanceOf, strategy),
  };
}

/** Once per aggregator. */
function askGlobalVetoes(
  batch: ViewBatch,
  vaults: readonly KnownVault[],
): (source: Source) => () => boolean | null {
  const asked = new Map<Source, () => boolean | null>();
  for (const { source } of vaults) {
    if (!asked.has(source)) asked.set(source, batch.add(source.address, GLOBAL_ROOT_VETOED));
  }
  return (source) => asked.get(source)!;
}

function toReading(
  views: Views,
  listed: readonly Listed[],
  upkeep: () => VaultState["upkeep"],
  isGlobalRootVetoed: () => boolean | null,
): VaultReading {
  const state = readEach<VaultState>(NO_STATE, {
    pps: () => (views.totalSupply() === 0n ? null : views.getPPS()),
    ppsDecimals: () => views.vault.assetDecimals ?? DEFAULT_DECIMALS,
    totalAssets: views.totalAssets,
    totalSupply: views.totalSupply,
    escrowedAssets: views.escrowedAssets,
    freeAssets: views.freeAssets,
    isPaused: views.isStrategyPaused,
    lastPpsUpdate: () => toSeconds(views.getLastUpdateTimestamp()),
    ppsExpirationSeconds: () => toSeconds(views.ppsExpiration()),
    maxStalenessSeconds: () => toSeconds(views.getMaxStaleness()),
    minUpdateIntervalSeconds: () => toSeconds(views.getMinUpdateInterval()),
    isPpsStaleFlag: views.isPPSStale,
    hwmPps: views.hwmPps,
    fees: () => {
      const fees = views.fees();
      return (
        fees && {
          performanceFeeBps: fees.performanceFeeBps,
          managementFeeBps: fees.managementFeeBps,
          recipient: fees.recipient,
        }
      );
    },
    managers: () => ({
      primary: orNull(views.getMainManager()),
      secondary: (views.getSecondaryManagers() ?? []).slice(0, MOST_LISTED),
    }),
    upkeep,
    merkle: () => {
      const root = views.getStrategyHooksRoot();
      const [proposedRoot, rootEffectiveTime] = views.getProposedStrategyHooksRoot() ?? [zeroHash, 0n];
      const isRootProposed = proposedRoot !== zeroHash;
      return (
        root && {
          root,
          proposedRoot: isRootProposed ? proposedRoot : null,
          effectiveAt: isRootProposed ? toSeconds(rootEffectiveTime) : null,
          isVetoed: views.isStrategyHooksRootVetoed() ?? false,
          isGlobalRootVetoed: isGlobalRootVetoed(),
        }
      );
    },
    yieldSources: () => {
      views.yieldSources();
      return listed.map(({ address, oracle, allocation }) => ({
        address,
        oracle,
        allocationAssets: allocation(),
      }));
    },
    pendingChanges: () => pendingChanges(views),
    contractRoles: () => {
      const primary = orNull(views.getMainManager());
      const secondary = (views.getSecondaryManagers() ?? []).slice(0, MOST_LISTED);
      return [
        ...(primary === null ? [] : [{ role: "primary_manager", account: primary }]),
        ...secondary.map((account) => ({ role: "secondary_manager", account })),
      ];
    },
    // Whoever leaves asks first and is paid later.
    liquidity: () => {
      const idleAssets = views.freeAssets();
      return idleAssets === null ? null : { idleAssets, withdrawableAssets: null, isExitImmediate: false };
    },
  });
  return { ...state, name: ifRead(views.name), symbol: ifRead(views.symbol), redeemRequests: [] };
}

function pendingChanges(views: Views): PendingChange[] {
  const changes: PendingChange[] = [];
  const add = (kind: PendingChange["kind"], current: unknown, proposed: unknown, effectiveTime: bigint) =>
    changes.push({ kind, current, proposed, proposer: null, effectiveAt: toSeconds(effectiveTime) });

  const [newManager, managerTime] = views.getPendingManagerChange() ?? [zeroAddress, 0n];
  if (newManager !== zeroAddress)
    add("primary_manager", orNull(views.getMainManager()), newManager, managerTime);

  const expirationTime = views.expirationEffectiveTime() ?? 0n;
  if (expirationTime > 0n) {
    add(
      "pps_expiration",
      views.ppsExpiration()?.toString(),
      views.proposedExpiration()?.toString(),
      expirationTime,
    );
  }
  const [interval, intervalTime] = views.getProposedMinUpdateInterval() ?? [0n, 0n];
  if (intervalTime > 0n)
    add("min_update_interval", views.getMinUpdateInterval()?.toString(), interval.toString(), intervalTime);

  const [root, rootTime] = views.getProposedStrategyHooksRoot() ?? [zeroHash, 0n];
  if (root !== zeroHash) add("hooks_root", views.getStrategyHooksRoot(), root, rootTime);

  const [amount, withdrawalTime] = views.pendingUpkeepWithdrawals() ?? [0n, 0n];
  if (withdrawalTime > 0n) {
    add("upkeep_withdrawal", views.getUpkeepBalance()?.toString(), amount.toString(), withdrawalTime);
  }
  return changes;
}

function orNull(address: Address | null): Address | null {
  return address === null || address === zeroAddress ? null : address;
}
