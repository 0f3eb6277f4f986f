// What the contracts of a vault answer at one block, in the shape of its record, asked by other means than the service's own: viem, the
// contracts' own ABIs, and everybody who may hold a role asked for one by one. What only events say is not in it.
import { type Address, createPublicClient, http, type PublicClient } from "viem";
import type { DemoChain } from "../../../demo/src/chain.ts";
import { artifactOf } from "../../../demo/src/compile.ts";
import { timestampOfSeconds } from "../../src/platform/http/time.ts";
import { CONTRACTS, type CuratedFamily, type EveryFamily, OWNER } from "../simulation/every-family.ts";
import { controllersOf } from "./controller-words.ts";
import { curatedWords } from "./curated-words.ts";
import { lagoonWords } from "./lagoon-words.ts";
import { morphoWords } from "./morpho-words.ts";
import { type At, byText, type Role, type Words } from "./shape.ts";
import { yearnWords } from "./yearn-words.ts";

export async function wordsOf(world: EveryFamily, family: CuratedFamily, block: number) {
  const { chain, asset } = world;
  const vault = world.vaults[family];
  const { timestamp: now } = await chain.client.getBlock({ blockNumber: BigInt(block) });
  const reader = readerOf(chain);
  const on: At["on"] = async <T>(
    contract: string,
    address: Address,
    functionName: string,
    args: readonly unknown[] = [],
  ) => {
    const { abi } = artifactOf(chain.artifacts, contract);
    return (await reader.readContract({
      abi,
      address,
      functionName,
      args,
      blockNumber: BigInt(block),
    })) as T;
  };
  const ask: At["ask"] = (functionName, args) => on(CONTRACTS[family], vault, functionName, args);
  const at: At = { world, vault, block, now, ask, on };
  const [name, symbol, decimals, totalAssets, totalSupply, words] = await Promise.all([
    ask<string>("name"),
    ask<string>("symbol"),
    ask<number>("decimals"),
    ask<bigint>("totalAssets"),
    ask<bigint>("totalSupply"),
    familyWords(at, family),
  ]);
  const pps = await ask<bigint>("convertToAssets", [10n ** BigInt(decimals)]);
  const share = (assets: bigint | null) => shareOf(assets, totalAssets);
  const { more, pending, liquidity, primary, secondary, ...rest } = words;
  const withdrawable = liquidity.isImmediate ? share(liquidity.withdrawable_assets) : null;
  const record = {
    name,
    symbol,
    underlying_asset_address: asset,
    vault_share_decimals: decimals,
    total_assets: text(totalAssets),
    total_supply: text(totalSupply),
    current_pps: totalSupply === 0n ? null : text(pps),
    ...rest,
    contract_roles: rest.contract_roles.map(wordOf).sort(),
    allocations: byId(
      rest.allocations.map((each) => ({
        ...each,
        assets: text(each.assets),
        absolute_cap: text(each.absolute_cap),
        share: share(each.assets),
      })),
    ),
    liquidity: {
      idle_assets: text(liquidity.idle_assets),
      withdrawable_assets: text(liquidity.withdrawable_assets),
      utilisation: withdrawable === null ? null : Math.max(0, Number((1 - withdrawable).toFixed(12))),
    },
    free_assets: text(rest.free_assets),
    lost_assets: text(rest.lost_assets),
    pending_changes: byText(
      pending.map((each) => ({
        ...each,
        executable_at: timeOf(each.executable_at),
        earliest_effect_at: timeOf(each.earliest_effect_at),
        revocable_by: [...each.revocable_by].sort(),
      })),
    ),
    ...more,
  };
  const controllers = await controllersOf(at, rest.contract_roles);
  return { record: { ...record, controllers }, primary, secondary, roles: rest.contract_roles };
}

const readers = new WeakMap<DemoChain, PublicClient>();

/** Views that are asked in the same moment share one call. */
function readerOf(chain: DemoChain): PublicClient {
  const known = readers.get(chain);
  if (known) return known;
  const reader = createPublicClient({
    chain: chain.client.chain,
    transport: http(chain.rpcUrl, { retryCount: 0, timeout: 60_000 }),
    batch: { multicall: { wait: 0, batchSize: 100_000 } },
  });
  readers.set(chain, reader);
  return reader;
}

/** The same of a record. */
// biome-ignore lint/suspicious/noExplicitAny: as the API answers it
export function toldBy(record: any, words: Readonly<Record<string, unknown>>): unknown {
  const told = Object.fromEntries(Object.keys(words).map((key) => [key, record[key]]));
  return {
    ...told,
    contract_roles: record.contract_roles.map(wordOf).sort(),
    allocations: byId(record.allocations),
    controllers: byText(record.controllers.map(controllerOf)),
    pending_changes: byText(
      record.pending_changes.map((each: Record<string, unknown>) => ({
        ...Object.fromEntries(PENDING.map((key) => [key, each[key]])),
        revocable_by: [...(each.revocable_by as Address[])].sort(),
      })),
    ),
  };
}

/** Who proposes to a timelock is read from its past, beside the head; until then he is not known. */
function controllerOf(each: { kind: string; roles: string[]; proposers: Address[] | null }) {
  const isYetUnknown = each.kind === "timelock" && each.proposers === null;
  const roles = [...each.roles].sort();
  return { ...each, roles, ...(isYetUnknown && { owners: [OWNER], proposers: [OWNER] }) };
}

const PENDING = [
  "kind",
  "function",
  "target",
  "calldata",
  "proposed",
  "executable_at",
  "earliest_effect_at",
  "status",
];

function familyWords(at: At, family: CuratedFamily): Promise<Words> {
  switch (family) {
    case "morpho_vault_v2":
      return morphoWords(at);
    case "metamorpho":
    case "euler_earn":
      return curatedWords(at, family);
    case "lagoon":
      return lagoonWords(at);
    case "yearn_v3":
      return yearnWords(at);
  }
}

const wordOf = ({ role, account }: Role) => `${role} ${account}`;
const text = (value: bigint | null) => (value === null ? null : value.toString());
const timeOf = (seconds: bigint | null) => (seconds === null ? null : timestampOfSeconds(Number(seconds)));
const byId = <T extends { id: string }>(list: T[]) => list.sort((a, b) => (a.id < b.id ? -1 : 1));

function shareOf(part: bigint | null, total: bigint): number | null {
  if (part === null || total === 0n) return null;
  return Number((part * 10n ** 12n) / total) / 1e12;
}
