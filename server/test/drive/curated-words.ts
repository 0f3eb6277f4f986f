// What MetaMorpho 1.1 and Euler Earn answer.
import { type Address, zeroAddress } from "viem";
import { greater, lesser } from "../../src/chain/families/family/amounts.ts";
import {
  type AllocationWords,
  type At,
  decimal,
  holdersOf,
  type PendingWords,
  type Role,
  somebody,
  statusAt,
  type Words,
} from "./shape.ts";
import { dataOf, jsonOf, PEOPLE } from "./steps.ts";

type Family = "metamorpho" | "euler_earn";

interface LineWords {
  id: string;
  argument: unknown;
  address: Address | null;
  label: string;
  cap: bigint;
  isEnabled: boolean;
  removableAt: bigint;
  pendingCap: bigint;
  pendingCapDue: bigint;
  assets: bigint;
  withdrawable: bigint;
}

export async function curatedWords(at: At, family: Family): Promise<Words> {
  const { world, vault, ask, on } = at;
  const isMorpho = family === "metamorpho";
  const views = [
    ["owner", "owner"],
    ["pending_owner", "pendingOwner"],
    ["curator", "curator"],
    ["guardian", "guardian"],
    ["fee_recipient", "feeRecipient"],
    ...(isMorpho ? [["skim_recipient", "skimRecipient"] as const] : []),
  ] as const;
  const named = views.map(async ([role, view]) => ({ role, account: await ask<Address>(view) }));
  const allocators = [...PEOPLE, world.safe, world.timelock].map(async (account) =>
    (await ask<boolean>("isAllocator", [account])) ? [{ role: "allocator", account }] : [],
  );
  const roles: Role[] = [
    ...(await Promise.all(named)).filter(({ account }) => account !== zeroAddress),
    ...(await Promise.all(allocators)).flat(),
  ];
  const [lines, idle, fee, recipient] = await Promise.all([
    linesOf(at, family),
    on<bigint>("Token", world.asset, "balanceOf", [vault]),
    ask<bigint>("fee"),
    ask<Address>("feeRecipient"),
  ]);
  const enabled = lines.filter(({ isEnabled }) => isEnabled);
  if (BigInt(enabled.length) !== (await ask<bigint>("withdrawQueueLength"))) throw new Error("other lines");
  return {
    contract_roles: roles,
    primary: holdersOf(roles, "owner", "curator"),
    secondary: holdersOf(roles, "allocator", "guardian"),
    allocations: enabled.map((line) => allocationOf(line, family)),
    liquidity: {
      idle_assets: idle,
      withdrawable_assets: enabled.reduce((sum, { withdrawable }) => sum + withdrawable, 0n),
      isImmediate: true,
    },
    free_assets: idle,
    lost_assets: await ask<bigint>("lostAssets"),
    fees: {
      performance_fee: decimal(fee),
      performance_fee_recipient: somebody(recipient),
      management_fee: null,
      management_fee_recipient: null,
    },
    pending: await pending(at, family, lines, roles),
    more: { nav: null, hwm_pps: null, implementation: null },
  };
}

function allocationOf({ id, address, label, assets, cap }: LineWords, family: Family): AllocationWords {
  const unlimited = family === "metamorpho" ? 2n ** 184n - 1n : 2n ** 136n - 1n;
  return {
    id,
    kind: family === "metamorpho" ? "market" : "strategy",
    address,
    label,
    assets,
    absolute_cap: cap === unlimited ? null : cap,
    is_absolute_capped: cap !== unlimited,
    relative_cap: null,
    is_relative_capped: false,
  };
}

async function linesOf(at: At, family: Family): Promise<LineWords[]> {
  const { world, vault, ask, on } = at;
  const isMorpho = family === "metamorpho";
  const named = isMorpho
    ? world.markets.map(({ id, params }) => ({ id, argument: params, address: null, label: labelOf(params) }))
    : world.strategies.map((id) => ({ id, argument: id, address: id, label: null }));
  const symbol = await on<string>("Token", world.asset, "symbol");
  return await Promise.all(
    named.map(async (line) => {
      const config = await ask<readonly unknown[]>("config", [line.id]);
      const [cap, isEnabled, removableAt] = config.slice(isMorpho ? 0 : 1) as [bigint, boolean, bigint];
      const [pendingCap, pendingCapDue] = await ask<readonly [bigint, bigint]>("pendingCap", [line.id]);
      const label = line.label?.replaceAll("$", symbol) ?? (await on<string>("Token", line.address!, "name"));
      const rest = { ...line, label, cap, isEnabled, removableAt, pendingCap, pendingCapDue };
      if (!isMorpho) {
        const assets = await ask<bigint>("expectedSupplyAssets", [line.id]);
        return { ...rest, assets, withdrawable: await ask<bigint>("maxWithdrawFromStrategy", [line.id]) };
      }
      const morpho = await ask<Address>("MORPHO");
      const markets = <T>(name: string, ...args: unknown[]) => on<T>("LendingMarkets", morpho, name, args);
      const assets = await markets<bigint>("expectedSupplyAssets", line.id, vault);
      const liquid = await markets<bigint>("expectedLiquidity", line.id);
      return { ...rest, assets, withdrawable: lesser(assets, liquid) };
    }),
  );
}

/** With the symbol of the one asset that there is yet to be put in. */
function labelOf({ collateralToken, lltv }: { collateralToken: Address; lltv: bigint }): string {
  return collateralToken === zeroAddress ? "idle $" : `$/$ ${Number(lltv / 10n ** 14n) / 100}%`;
}

/** What can be accepted, or waits to be; with the call that was submitted. */
async function pending(
  at: At,
  family: Family,
  lines: readonly LineWords[],
  roles: readonly Role[],
): Promise<PendingWords[]> {
  const { world, vault, ask, now } = at;
  const isMorpho = family === "metamorpho";
  const contract = isMorpho ? "MetaMorphoV1_1" : "EulerEarn";
  const [wait, [timelock, timelockDue], [guardian, guardianDue], owner, next] = await Promise.all([
    ask<bigint>("timelock"),
    ask<readonly [bigint, bigint]>("pendingTimelock"),
    ask<readonly [Address, bigint]>("pendingGuardian"),
    ask<Address>("owner"),
    ask<Address>("pendingOwner"),
  ]);
  const changes: PendingWords[] = [];
  const ofSafety = [...new Set(holdersOf(roles, "owner", "guardian"))];
  const ofCuration = [...new Set(holdersOf(roles, "owner", "curator", "guardian"))];
  const add = (due: bigint, call: readonly [string, ...unknown[]], revocable_by: Address[]) => {
    if (due === 0n) return;
    const [name] = call;
    const ways = [due, now + wait];
    if (timelockDue > 0n) ways.push(greater(timelockDue, now) + timelock);
    changes.push({
      kind: "call",
      function: name,
      target: vault,
      calldata: dataOf(world, contract, call),
      proposed: { function: name, arguments: argumentsOf(call, isMorpho) },
      executable_at: due,
      earliest_effect_at: ways.reduce(lesser),
      status: statusAt(at, due),
      revocable_by,
    });
  };
  add(timelockDue, ["submitTimelock", timelock], ofSafety);
  add(guardianDue, ["submitGuardian", guardian], ofSafety);
  for (const line of lines) {
    add(line.pendingCapDue, ["submitCap", line.argument, line.pendingCap], ofCuration);
    add(line.removableAt, ["submitMarketRemoval", line.argument], ofCuration);
  }
  if (next !== zeroAddress)
    changes.push({
      kind: "primary_manager",
      function: null,
      target: vault,
      calldata: null,
      proposed: next,
      executable_at: null,
      earliest_effect_at: null,
      status: "pending",
      revocable_by: [owner],
    });
  return changes;
}

/** Under the names that the published contracts give their parameters. */
function argumentsOf([name, ...args]: readonly [string, ...unknown[]], isMorpho: boolean): unknown {
  const line = isMorpho ? "marketParams" : "id";
  const names: Readonly<Record<string, readonly string[]>> = {
    submitTimelock: ["newTimelock"],
    submitGuardian: ["newGuardian"],
    submitCap: [line, "newSupplyCap"],
    submitMarketRemoval: [line],
  };
  return Object.fromEntries(names[name]!.map((each, index) => [each, jsonOf(args[index])]));
}
