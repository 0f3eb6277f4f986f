// What pays for the updates of a vault's price: the balance, and what an update costs. All of it is asked for at the block: the governor
// may name another oracle, another token or another price at any time.
//
// Two generations: upkeep is the strategy's, or (before withdrawals had a timelock) its main manager's for everything managed.
import { type Address, keccak256, stringToHex, zeroAddress } from "viem";
import type { KnownVault, Source } from "../../directory.ts";
import type { VaultState } from "../../reading.ts";
import { ifRead, type ViewBatch } from "../family/view.ts";
import { AGGREGATOR_VIEWS, GOVERNOR_VIEWS } from "./abi.ts";

const UPKEEP_TOKEN = keccak256(stringToHex("UPKEEP_TOKEN"));
const NO_SUCH_VIEW = "no such view";
const UP = keccak256(stringToHex("UP"));

type Answer<T> = () => T | null;

interface Terms {
  governor: Address;
  token: Answer<Address>;
  isPaid: Answer<boolean>;
  oracle: Answer<Address>;
}

/** In the first round, once per aggregator: who prices, whether and in which token updates are paid for. */
export function askTerms(
  batch: ViewBatch,
  vaults: readonly KnownVault[],
): (source: Source) => Terms | undefined {
  const terms = new Map<Source, Terms>();
  for (const { source } of vaults) {
    const { governor } = source;
    if (terms.has(source) || governor === null) continue;
    const token = batch.add(governor, GOVERNOR_VIEWS.getAddress, UPKEEP_TOKEN);
    const olderToken = batch.add(governor, GOVERNOR_VIEWS.getAddress, UP);
    terms.set(source, {
      governor,
      token: () => token() ?? olderToken(),
      isPaid: batch.add(governor, GOVERNOR_VIEWS.isUpkeepPaymentsEnabled),
      oracle: batch.add(governor, GOVERNOR_VIEWS.getActivePPSOracle),
    });
  }
  return (source) => terms.get(source);
}

/** What the first round answered of a vault. */
interface Asked {
  vault: KnownVault;
  getUpkeepBalance: Answer<bigint>;
  pendingUpkeepWithdrawals: Answer<readonly [bigint, bigint]>;
  getMainManager: Answer<Address>;
}

/** In the second round, once the first has been answered. */
export function askUpkeep(
  batch: ViewBatch,
  asked: readonly Asked[],
  termsOf: (source: Source) => Terms | undefined,
): (vault: KnownVault) => () => VaultState["upkeep"] {
  const costs = new Map<Source, Answer<bigint>>();
  const balances = new Map<KnownVault, Answer<bigint>>();
  for (const { vault, ...views } of asked) {
    const { source } = vault;
    const terms = termsOf(source);
    if (terms && !costs.has(source)) costs.set(source, askCost(batch, terms));
    // What was not read tells nothing of the generation.
    const isManagers = ifRead(() => views.pendingUpkeepWithdrawals() ?? NO_SUCH_VIEW) === NO_SUCH_VIEW;
    const manager = isManagers && ifRead(views.getUpkeepBalance) === 0n ? ifRead(views.getMainManager) : null;
    balances.set(
      vault,
      manager === null
        ? views.getUpkeepBalance
        : batch.add(source.address, AGGREGATOR_VIEWS.getUpkeepBalance, manager),
    );
  }
  return (vault) => () => {
    const balance = balances.get(vault)?.() ?? null;
    if (balance === null) return null;
    const terms = termsOf(vault.source);
    const isPaid = terms?.isPaid() ?? null;
    const cost = isPaid ? (costs.get(vault.source)?.() ?? null) : null;
    return { balance, token: terms?.token() ?? null, requiredBalance: isPaid === false ? 0n : cost };
  };
}

function askCost(batch: ViewBatch, { governor, oracle }: Terms): Answer<bigint> {
  const active = ifRead(oracle) ?? zeroAddress;
  const cost = batch.add(governor, GOVERNOR_VIEWS.getUpkeepCostPerSingleUpdate, active);
  const olderCost = batch.add(governor, GOVERNOR_VIEWS.getUpkeepCostPerBatchUpdate, active, 1n);
  // Of an oracle that was not read nothing is known, whatever the governor answers for none.
  return () => {
    oracle();
    return cost() ?? olderCost();
  };
}
