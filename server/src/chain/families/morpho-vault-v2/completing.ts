// What an event leaves out and the state just before it tells: the value that it replaces, and who called where only one account could have
// (the curator who submits, the owner). The state before an event is what earlier ones of its block left, else that of the parent block.
import { type Address, type Hex, keccak256 } from "viem";
import { checksum } from "../../address.ts";
import type { ChainClient } from "../../client/client.ts";
import type { Directory } from "../../directory.ts";
import type { GovernanceBody, GovernanceEffect, Json } from "../../governance.ts";
import { isChainFault } from "../../rpc/fault.ts";
import type { Decoded } from "../family/family.ts";
import { type View, ViewBatch } from "../family/view.ts";
import { effectsBeside, neighboursOf } from "./neighbours.ts";
import { ADAPTER_VIEWS, VAULT_VIEWS } from "./views.ts";

interface Subject {
  view: View<unknown>;
  /** The parameters that the view takes. */
  by: readonly string[];
  /** The parameter that holds what the view answers from then on. */
  to: string;
}

const subject = (view: View<unknown>, to: string, ...by: string[]): Subject => ({ view, by, to });

/** What an event sets, and the view that tells it. */
const SETS: Readonly<Record<string, Subject>> = {
  SetOwner: subject(VAULT_VIEWS.owner, "newOwner"),
  SetCurator: subject(VAULT_VIEWS.curator, "newCurator"),
  SetName: subject(VAULT_VIEWS.name, "newName"),
  SetSymbol: subject(VAULT_VIEWS.symbol, "newSymbol"),
  SetReceiveSharesGate: subject(VAULT_VIEWS.receiveSharesGate, "newReceiveSharesGate"),
  SetSendSharesGate: subject(VAULT_VIEWS.sendSharesGate, "newSendSharesGate"),
  SetReceiveAssetsGate: subject(VAULT_VIEWS.receiveAssetsGate, "newReceiveAssetsGate"),
  SetSendAssetsGate: subject(VAULT_VIEWS.sendAssetsGate, "newSendAssetsGate"),
  SetAdapterRegistry: subject(VAULT_VIEWS.adapterRegistry, "newAdapterRegistry"),
  IncreaseTimelock: subject(VAULT_VIEWS.timelock, "newDuration", "selector"),
  DecreaseTimelock: subject(VAULT_VIEWS.timelock, "newDuration", "selector"),
  SetPerformanceFee: subject(VAULT_VIEWS.performanceFee, "newPerformanceFee"),
  SetManagementFee: subject(VAULT_VIEWS.managementFee, "newManagementFee"),
  SetPerformanceFeeRecipient: subject(VAULT_VIEWS.performanceFeeRecipient, "newPerformanceFeeRecipient"),
  SetManagementFeeRecipient: subject(VAULT_VIEWS.managementFeeRecipient, "newManagementFeeRecipient"),
  SetForceDeallocatePenalty: subject(VAULT_VIEWS.forceDeallocatePenalty, "forceDeallocatePenalty", "adapter"),
  IncreaseAbsoluteCap: subject(VAULT_VIEWS.absoluteCap, "newAbsoluteCap", "id"),
  DecreaseAbsoluteCap: subject(VAULT_VIEWS.absoluteCap, "newAbsoluteCap", "id"),
  IncreaseRelativeCap: subject(VAULT_VIEWS.relativeCap, "newRelativeCap", "id"),
  DecreaseRelativeCap: subject(VAULT_VIEWS.relativeCap, "newRelativeCap", "id"),
  SetMaxRate: subject(VAULT_VIEWS.maxRate, "newMaxRate"),
  SetLiquidityAdapterAndData: subject(VAULT_VIEWS.liquidityAdapter, "newLiquidityAdapter"),
  SetSkimRecipient: subject(ADAPTER_VIEWS.skimRecipient, "newSkimRecipient"),
};

const BY_OWNER: ReadonlySet<string> = new Set([
  "SetOwner",
  "SetCurator",
  "SetIsSentinel",
  "SetName",
  "SetSymbol",
]);

export async function complete(
  client: ChainClient,
  decoded: readonly Decoded[],
  directory: Directory,
): Promise<Decoded[]> {
  const neighbours = neighboursOf(decoded);
  const result = [...decoded];
  const open = new Set<number>();
  for (const [index, each] of decoded.entries()) {
    if (each.needs !== "state" || each.body.kind !== "governance") continue;
    const effects = effectsBeside(each, each.body, neighbours);
    result[index] = { ...each, needs: null, body: { ...each.body, effects } };
    if (effects.length > 0) open.add(index);
  }
  const inBlock = Map.groupBy(decoded, ({ log }) => log.blockHash);
  const blocks = Map.groupBy(open, (index) => decoded[index]!.log.blockHash);
  await Promise.all(
    [...blocks].map(async ([hash, own]) => {
      const before = new StateBefore(inBlock.get(hash)!);
      const asked = own.map((index) => [index, ask(before, result[index]!, directory)] as const);
      await before.run(client);
      for (const [index, told] of asked) result[index] = told();
    }),
  );
  return result;
}

/** Asks what is to be known of a fact; what it gives is read once the answers are there. */
function ask(before: StateBefore, fact: Decoded, directory: Directory): () => Decoded {
  const { body, log } = fact;
  if (body.kind !== "governance") return () => fact;
  const vault = directory.contract(log.address)?.vault?.address ?? checksum(log.address.slice(2));
  const caller = callerOf(body);
  const actor = caller === null ? () => undefined : before.value(fact, vault, caller, []);
  const sets = SETS[body.event];
  const own = checksum(log.address.slice(2));
  const old = sets
    ? before.value(
        fact,
        own,
        sets.view,
        sets.by.map((name) => body.args[name]),
      )
    : () => undefined;
  const isAdapter = body.event === "BurnShares" ? before.isAdapter(fact, vault, own) : () => true;
  const liquidity = body.event === "SetLiquidityAdapterAndData" ? before.liquidity(fact, own) : () => ({});
  return () => {
    const replaced = old();
    const more = { ...(replaced !== undefined && { old: replaced }), ...liquidity() };
    const effects = body.effects.map((effect) => ({
      ...(isAdapter() ? effect : ofStranger(effect)),
      ...more,
    }));
    return {
      ...fact,
      ...(before.isUnknown && (sets || caller !== null) && { isPartial: true as const }),
      actor: fact.actor ?? (actor() as Address | undefined) ?? null,
      body: { ...body, effects },
    };
  };
}

/** Burnt in an adapter that was removed: what is in it is no longer the vault's, which loses nothing. */
function ofStranger({ action: _, old: _old, new: _new, ...rest }: GovernanceEffect): GovernanceEffect {
  return { ...rest, action: "timelock_accept" };
}

/** The view of the one account that could have called; null where there may be several. */
function callerOf({ contract, event }: GovernanceBody): View<unknown> | null {
  if (event === "Submit") return VAULT_VIEWS.curator;
  return contract === "vault" && BY_OWNER.has(event) ? VAULT_VIEWS.owner : null;
}

/** The state just before each event of one block. */
class StateBefore {
  readonly #all: readonly Decoded[];
  readonly #parent = new ViewBatch();
  readonly #own = new ViewBatch();
  readonly #asked = new Map<string, () => unknown>();
  #block: Decoded["log"] | null = null;
  /** The node has not the state of these blocks. */
  isUnknown = false;

  constructor(all: readonly Decoded[]) {
    this.#all = all;
  }

  value(
    fact: Decoded,
    address: Address,
    view: View<unknown>,
    args: readonly unknown[],
  ): () => Json | undefined {
    const earlier = this.#setBefore(fact, address, view, args);
    if (earlier !== undefined) return () => earlier;
    const answer = this.#inParent(fact, address, view, args);
    return () => {
      const value = this.isUnknown ? null : answer();
      return value === null ? undefined : jsonOf(value);
    };
  }

  /** Of the data an event has the hash alone: what stands at the end of the block is told where that is its hash. */
  liquidity(fact: Decoded, address: Address): () => { old?: Json; new?: Json } {
    const adapter = this.value(fact, address, VAULT_VIEWS.liquidityAdapter, []);
    const isFirst = this.#setBefore(fact, address, VAULT_VIEWS.liquidityAdapter, []) === undefined;
    const oldData = isFirst ? this.value(fact, address, VAULT_VIEWS.liquidityData, []) : () => undefined;
    const newData = this.#own.add(address, VAULT_VIEWS.liquidityData);
    this.#block = fact.log;
    return () => {
      const body = fact.body.kind === "governance" ? fact.body : null;
      const data = this.isUnknown ? null : newData();
      const isIts = data !== null && keccak256(data) === body?.args.newLiquidityData;
      const old = adapter();
      return {
        ...(old !== undefined && { old: { adapter: old, data: oldData() ?? null } }),
        new: { adapter: body?.args.newLiquidityAdapter ?? null, data: isIts ? data : null },
      };
    };
  }

  /** Whether an adapter was the vault's; true where nobody tells. */
  isAdapter(fact: Decoded, vault: Address, adapter: Address): () => boolean {
    const earlier = this.#all.findLast(
      ({ log, vaultAddress, body }) =>
        log.logIndex < fact.log.logIndex &&
        vaultAddress === vault &&
        body.kind === "governance" &&
        (body.event === "AddAdapter" || body.event === "RemoveAdapter") &&
        body.args.account === adapter,
    );
    if (earlier?.body.kind === "governance") {
      const isAdded = earlier.body.event === "AddAdapter";
      return () => isAdded;
    }
    const answer = this.#inParent(fact, vault, VAULT_VIEWS.isAdapter, [adapter]);
    return () => this.isUnknown || answer() !== false;
  }

  async run(client: ChainClient): Promise<void> {
    const log = this.#block;
    if (log === null) return;
    const at = { number: log.blockNumber, hash: log.blockHash };
    try {
      await Promise.all([
        this.#parent.run(client, { number: log.blockNumber - 1 }, { isForGood: true }),
        this.#own.run(client, at, { isForGood: true }),
      ]);
    } catch (error) {
      if (!isChainFault(error, "state_missing", "refused")) throw error;
      this.isUnknown = true;
    }
  }

  #inParent(fact: Decoded, address: Address, view: View<unknown>, args: readonly unknown[]): () => unknown {
    this.#block = fact.log;
    const key = `${address}:${view.encode(args)}`;
    const asked = this.#asked.get(key) ?? this.#parent.add(address, view, ...args);
    this.#asked.set(key, asked);
    return asked;
  }

  /** What the last earlier event of the block made of it. */
  #setBefore(
    fact: Decoded,
    address: Address,
    view: View<unknown>,
    args: readonly unknown[],
  ): Json | undefined {
    const of = `${view.name}:${args.join()}`;
    const earlier = this.#all.findLast(({ log, body }) => {
      if (log.logIndex >= fact.log.logIndex) return false;
      if (body.kind !== "governance" || checksum(log.address.slice(2)) !== address) return false;
      const sets = SETS[body.event];
      return sets && of === `${sets.view.name}:${sets.by.map((name) => body.args[name]).join()}`;
    });
    if (earlier?.body.kind !== "governance") return undefined;
    return earlier.body.args[SETS[earlier.body.event]!.to];
  }
}

function jsonOf(value: unknown): Json {
  return typeof value === "bigint" ? value.toString() : (value as Hex | Json);
}
