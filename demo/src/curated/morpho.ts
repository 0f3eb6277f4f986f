/**
 * The demo's vault of Morpho Vault V2 shape: most of it lies in one lending market, some in another under narrow caps, a reserve in an
 * ERC-4626 vault. A Safe owns it; what the curator raises waits for days in the vault's own timelocks.
 */
import { type Address, type Hex, toFunctionSelector } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import { type DemoChain, execute, type Transaction } from "../chain.ts";
import { deployErc4626Vault } from "../deploy.ts";
import { CURATED, type DeployedVault } from "../deployment.ts";
import {
  callOf,
  createErc4626Adapter,
  createMarketAdapter,
  createMorphoVault,
  deployMorphoSystem,
  idData,
  type MorphoMarket,
  marketData,
} from "../families/morpho-vault-v2.ts";
import { depositAssets } from "../operate.ts";
import type { Grounds } from "./grounds.ts";

export interface DemoMorphoVault extends DeployedVault {
  readonly factory: Address;
  /** Where its lending markets lie. */
  readonly markets: Address;
  readonly adapter: Address;
  readonly reserveAdapter: Address;
  /** The market that takes deposits and pays withdrawals, and the one under narrow caps. */
  readonly market: MorphoMarket;
  readonly narrowMarket: MorphoMarket;
}

const OWNER = addressOf("primaryManager");
const ALLOCATOR = addressOf("redeemKeeper");
const BORROWER = addressOf("treasury");
const USDC = 1_000_000n;
const WAD = 10n ** 18n;
const WAIT_SECONDS = 3n * 86_400n;
type Part = readonly [functionName: string, args: readonly unknown[]];

/** Raising these caps and changing these seats waits. */
const TIMELOCKED = [
  "increaseAbsoluteCap(bytes,uint256)",
  "increaseRelativeCap(bytes,uint256)",
  "addAdapter(address)",
  "setIsAllocator(address,bool)",
  "setPerformanceFee(uint256)",
];

export async function raiseMorpho(
  chain: DemoChain,
  { tokens, feeds, council }: Grounds,
): Promise<DemoMorphoVault> {
  const asset = tokens.usdc;
  const { name, symbol } = CURATED.morpho_vault_v2;
  const system = await deployMorphoSystem(chain);
  const { vault } = await createMorphoVault(chain, system, { asset, name, symbol, owner: OWNER });
  const blockNumber = await chain.client.getBlockNumber();
  const reserve = await deployErc4626Vault(chain, { asset, name: "Reserve USDC", symbol: "rsUSDC" });
  const adapter = await createMarketAdapter(chain, system, vault);
  const reserveAdapter = await createErc4626Adapter(chain, system, vault, reserve);
  const marketOf = (collateral: "weth" | "wbtc", lltv: bigint): MorphoMarket => ({
    loanToken: asset,
    collateralToken: tokens[collateral],
    oracle: feeds[collateral],
    irm: system.markets,
    lltv,
  });
  const market = marketOf("weth", (WAD * 86n) / 100n);
  const narrowMarket = marketOf("wbtc", (WAD * 77n) / 100n);
  const made = { vault, asset, assetKey: CURATED.morpho_vault_v2.asset, blockNumber };
  const raised: DemoMorphoVault = {
    ...made,
    factory: system.factory,
    markets: system.markets,
    adapter,
    reserveAdapter,
    market,
    narrowMarket,
  };

  const caps = (id: Hex, most: bigint, share: bigint) => [
    ["increaseAbsoluteCap", [id, most * USDC]] as const,
    ["increaseRelativeCap", [id, share]] as const,
  ];
  await setUp(chain, vault, [
    ["setIsAllocator", [ALLOCATOR, true]],
    ["addAdapter", [adapter]],
    ["addAdapter", [reserveAdapter]],
    ...caps(idData.adapter(adapter), 20_000_000n, WAD),
    ...caps(idData.collateral(tokens.weth), 15_000_000n, WAD),
    ...caps(idData.collateral(tokens.wbtc), 3_000_000n, (WAD * 4n) / 10n),
    ...caps(idData.market(adapter, market), 15_000_000n, WAD),
    ...caps(narrowId(raised), 1_500_000n, (WAD * 3n) / 10n),
    ...caps(idData.adapter(reserveAdapter), 1_000_000n, WAD / 5n),
    ["setPerformanceFeeRecipient", [addressOf("feeRecipient")]],
    ["setPerformanceFee", [WAD / 10n]],
    ...TIMELOCKED.map((each) => ["increaseTimelock", [toFunctionSelector(each), WAIT_SECONDS]] as const),
  ]);
  const call = (functionName: string, args: readonly unknown[], from: Address) =>
    execute(chain, { contract: "MorphoVaultV2", address: vault, functionName, args, from });
  await call("setIsSentinel", [addressOf("otherManager"), true], OWNER);
  await call("setMaxRate", [WAD / 2n / (365n * 86_400n)], ALLOCATOR);
  await call("setLiquidityAdapterAndData", [adapter, marketData(market)], ALLOCATOR);
  const [first] = depositors() as [Address];
  await depositAssets(chain, raised, first, 4_000_000n * USDC);
  await execute(chain, allocation(chain, raised, 900_000n * USDC, 300_000n * USDC));
  for (const [where, assets] of [
    [market, 1_900_000n],
    [narrowMarket, 600_000n],
  ] as const)
    await execute(chain, {
      contract: "MorphoMarkets",
      address: system.markets,
      functionName: "borrow",
      args: [where, assets * USDC, BORROWER],
      from: BORROWER,
    });
  await call("setOwner", [council], OWNER);
  return raised;
}

/** The bytes under which the narrow market's caps stand. */
export function narrowId({ adapter, narrowMarket }: DemoMorphoVault): Hex {
  return idData.market(adapter, narrowMarket);
}

/** So much out of the market that takes deposits, into the narrow one and into the reserve. */
export function allocation(
  chain: DemoChain,
  made: DemoMorphoVault,
  toNarrow: bigint,
  toReserve: bigint,
): Transaction {
  const { adapter, reserveAdapter, market, narrowMarket } = made;
  return inOneCall(chain, made, [
    ["deallocate", [adapter, marketData(market), toNarrow + toReserve]],
    ["allocate", [adapter, marketData(narrowMarket), toNarrow]],
    ...(toReserve > 0n ? [["allocate", [reserveAdapter, "0x", toReserve]] as const] : []),
  ]);
}

/** So much out of the narrow market, back into the one that takes deposits. */
export function retreat(chain: DemoChain, made: DemoMorphoVault, assets: bigint): Transaction {
  const { adapter, market, narrowMarket } = made;
  return inOneCall(chain, made, [
    ["deallocate", [adapter, marketData(narrowMarket), assets]],
    ["allocate", [adapter, marketData(market), assets]],
  ]);
}

function inOneCall(chain: DemoChain, { vault }: { vault: Address }, calls: readonly Part[]): Transaction {
  const parts = calls.map(([functionName, args]) => callOf(chain, "MorphoVaultV2", functionName, args));
  return {
    contract: "MorphoVaultV2",
    address: vault,
    functionName: "multicall",
    args: [parts],
    from: ALLOCATOR,
  };
}

/** What borrowers of the market that takes deposits owe grows. */
export function interest(made: DemoMorphoVault, assets: bigint) {
  const args = [made.market, assets];
  return { contract: "MorphoMarkets", address: made.markets, functionName: "earn", args, from: BORROWER };
}

/** The curator's proposal of another cap for the narrow market, and what becomes of it. */
export function capRaise(chain: DemoChain, made: DemoMorphoVault, absoluteCap: bigint) {
  const args = [narrowId(made), absoluteCap] as const;
  const data = callOf(chain, "MorphoVaultV2", "increaseAbsoluteCap", args);
  const call = { contract: "MorphoVaultV2", address: made.vault };
  return {
    submit: { ...call, functionName: "submit", args: [data], from: OWNER },
    accept: { ...call, functionName: "increaseAbsoluteCap", args, from: OWNER },
    revoke: { ...call, functionName: "revoke", args: [data], from: addressOf("otherManager") },
  };
}

// The timelocks are zero: everything is submitted and done in one transaction.
async function setUp(chain: DemoChain, vault: Address, calls: readonly Part[]): Promise<void> {
  const parts = calls.flatMap(([functionName, args]) => {
    const data = callOf(chain, "MorphoVaultV2", functionName, args);
    return [callOf(chain, "MorphoVaultV2", "submit", [data]), data];
  });
  await execute(chain, {
    contract: "MorphoVaultV2",
    address: vault,
    functionName: "multicall",
    args: [parts],
    from: OWNER,
    gas: 10_000_000n,
  });
}
