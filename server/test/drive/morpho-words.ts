// What Morpho Vault V2 and its adapters answer.
import { type Address, type Hex, keccak256, maxUint128, slice, zeroAddress } from "viem";
import { idData, marketData } from "../../../demo/src/families/morpho-vault-v2.ts";
import { greater, lesser } from "../../src/chain/families/family/amounts.ts";
import { morphoDrive } from "./morpho-steps.ts";
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
import { decoded, PEOPLE } from "./steps.ts";

const E18 = 10n ** 18n;
const YEAR_SECONDS = 31_536_000n;

export async function morphoWords(at: At): Promise<Words> {
  const { world, vault, ask, on } = at;
  const [owner, curator, liquidityAdapter] = (await Promise.all(
    ["owner", "curator", "liquidityAdapter"].map((name) => ask<Address>(name)),
  )) as [Address, Address, Address];
  const roles: Role[] = [
    { role: "owner", account: owner },
    { role: "curator", account: curator },
  ];
  const held = [...PEOPLE, world.safe, world.timelock].flatMap((account) =>
    (
      [
        ["allocator", "isAllocator"],
        ["sentinel", "isSentinel"],
      ] as const
    ).map(async ([role, view]) => ((await ask<boolean>(view, [account])) ? [{ role, account }] : [])),
  );
  roles.push(...(await Promise.all(held)).flat());
  const idle = await on<bigint>("Token", world.asset, "balanceOf", [vault]);
  const [performance, management, performanceTo, managementTo] = await Promise.all([
    ask<bigint>("performanceFee"),
    ask<bigint>("managementFee"),
    ask<Address>("performanceFeeRecipient"),
    ask<Address>("managementFeeRecipient"),
  ]);
  const revocableBy = [...new Set([curator, ...holdersOf(roles, "sentinel")])];
  return {
    contract_roles: roles,
    primary: [owner, curator],
    secondary: ["allocator", "sentinel"].flatMap((role) => holdersOf(roles, role)),
    allocations: await allocations(at),
    liquidity: {
      idle_assets: idle,
      withdrawable_assets: idle + (await fromAdapter(at, liquidityAdapter)),
      isImmediate: true,
    },
    free_assets: idle,
    lost_assets: null,
    fees: {
      performance_fee: decimal(performance),
      performance_fee_recipient: somebody(performanceTo),
      management_fee: decimal(management * YEAR_SECONDS),
      management_fee_recipient: somebody(managementTo),
    },
    pending: await pending(at, revocableBy),
    more: { nav: null, hwm_pps: null, implementation: null },
  };
}

async function adaptersOf({ ask }: At): Promise<Address[]> {
  const count = Number(await ask<bigint>("adaptersLength"));
  return await Promise.all(
    Array.from({ length: count }, (_, nth) => ask<Address>("adapters", [BigInt(nth)])),
  );
}

async function allocations(at: At): Promise<AllocationWords[]> {
  const { world, ask, on } = at;
  const [adapter, other] = world.adapters;
  const { id: marketId, params } = world.markets[1]!;
  const adapters = await adaptersOf(at);
  const inMarket = adapters.includes(adapter)
    ? await on<bigint>("MorphoMarketAdapter", adapter, "expectedSupplyAssets", [marketId])
    : 0n;
  const worthOf = async (each: Address) =>
    adapters.includes(each) ? await on<bigint>("MorphoMarketAdapter", each, "realAssets") : 0n;
  const symbol = await on<string>("Token", params.collateralToken, "symbol");
  const ofAdapter = async (each: Address) => ({
    data: idData.adapter(each),
    kind: "adapter",
    address: each,
    label: null,
    assets: await worthOf(each),
  });
  const rows = [
    await ofAdapter(adapter),
    await ofAdapter(other),
    {
      data: idData.collateral(world.asset),
      kind: "collateral",
      address: world.asset,
      label: symbol,
      assets: inMarket,
    },
    {
      data: idData.market(adapter, params),
      kind: "market",
      address: adapter,
      label: `${symbol} ${Number(params.lltv / 10n ** 14n) / 100} %`,
      assets: inMarket,
    },
  ];
  const told = rows.map(async ({ data, ...row }): Promise<AllocationWords[]> => {
    const id = keccak256(data);
    const [absolute, relative, booked] = (await Promise.all(
      ["absoluteCap", "relativeCap", "allocation"].map((name) => ask<bigint>(name, [id])),
    )) as [bigint, bigint, bigint];
    const isListed = row.kind === "adapter" && adapters.includes(row.address);
    if (!isListed && absolute === 0n && booked === 0n && row.assets === 0n) return [];
    const isAbsolute = absolute !== maxUint128;
    const isRelative = relative !== E18;
    return [
      {
        id,
        ...row,
        absolute_cap: isAbsolute ? absolute : null,
        is_absolute_capped: isAbsolute,
        relative_cap: isRelative ? decimal(relative) : null,
        is_relative_capped: isRelative,
      },
    ];
  });
  return (await Promise.all(told)).flat();
}

/** What the vault's liquidity adapter gets back at once, from the market that it is set to. */
async function fromAdapter(at: At, adapter: Address): Promise<bigint> {
  const { world, on } = at;
  if (adapter === zeroAddress || !(await adaptersOf(at)).includes(adapter)) return 0n;
  const { id, params } = world.markets[1]!;
  if ((await at.ask<Hex>("liquidityData")) !== marketData(params)) throw new Error("another market");
  const held = await on<bigint>("MorphoMarketAdapter", adapter, "expectedSupplyAssets", [id]);
  const morpho = await on<Address>("MorphoMarketAdapter", adapter, "morpho");
  const [supplied, , borrowed] = await on<readonly bigint[]>("MorphoMarkets", morpho, "market", [id]);
  const free = supplied! - borrowed!;
  return lesser(held, free);
}

/** Of every call that the drive ever submits: whether it waits, by its very bytes. */
async function pending(at: At, revocableBy: Address[]): Promise<PendingWords[]> {
  const { world, on, now, vault } = at;
  const submitted = new Map(
    morphoDrive(world).steps.flatMap(({ contract, address, call, args }) => {
      const inner =
        call === "multicall" ? (args[0] as Hex[]).map((data) => decoded(world, contract, data)) : [];
      return [...inner, { name: call, args }]
        .flatMap((each) => (each?.name === "submit" ? [each.args[0] as Hex] : []))
        .map((data) => [`${address} ${data}`, { contract, address, data }] as const);
    }),
  );
  const asked = await Promise.all(
    [...submitted.values()].map(async ({ contract, address, data }) => {
      const executableAt = await on<bigint>(contract, address, "executableAt", [data]);
      if (executableAt === 0n) return [];
      const call = decoded(world, contract, data);
      const isDecrease = call?.name === "decreaseTimelock";
      const waitsLike = isDecrease ? slice(data, 4, 8) : slice(data, 0, 4);
      const [wait, isAbdicated] = await Promise.all([
        on<bigint>(contract, address, "timelock", [waitsLike]),
        on<boolean>(contract, address, "abdicated", [slice(data, 0, 4)]),
      ]);
      return [{ contract, address, data, call, executableAt, wait, waitsLike, isAbdicated, isDecrease }];
    }),
  );
  const all = asked.flat();
  return all.map((each) => {
    const ways = [each.executableAt, now + each.wait];
    for (const { call, isDecrease, isAbdicated, executableAt, address, waitsLike, data } of all)
      if (
        isDecrease &&
        !isAbdicated &&
        address === each.address &&
        waitsLike === each.waitsLike &&
        data !== each.data
      )
        ways.push(greater(executableAt, now) + (call!.args[1] as bigint));
    const earliest = ways.reduce(lesser);
    const { call } = each;
    return {
      kind: "call",
      function: call?.name ?? null,
      target: each.address === vault ? vault : each.address,
      calldata: each.data,
      proposed: { function: call?.name ?? null, arguments: call?.named ?? null },
      executable_at: each.executableAt,
      earliest_effect_at: each.isAbdicated ? null : earliest,
      status: statusAt(at, each.executableAt, each.isAbdicated),
      revocable_by: revocableBy,
    };
  });
}
