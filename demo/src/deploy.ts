/** Deploys the demo's contracts, in small steps that compose; server tests use them on a node of their own. */
import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hex,
  keccak256,
  numberToHex,
  padHex,
  parseEventLogs,
} from "viem";
import { addressOf } from "./accounts.ts";
import { type DemoChain, deploy, execute, MULTICALL3_ADDRESS, read } from "./chain.ts";
import { artifactOf } from "./compile.ts";
import type { RawLog } from "./events.ts";

/** The contracts that stand once for all vault trios. */
export interface VaultSystem {
  readonly governor: Address;
  readonly aggregator: Address;
  readonly oracle: Address;
  readonly upkeepToken: Address;
  readonly yieldSourceOracle: Address;
}

export interface VaultSystemOptions {
  /** Owner of the governor and of the price oracle; the account that deploys. */
  readonly owner?: Address;
  /** Who may push prices beside the owner. */
  readonly ppsKeeper?: Address;
  /** Raw upkeep tokens (18 decimals) per price update; 0 leaves payments off. */
  readonly upkeepCost?: bigint;
  /** Basis points of performance fees that go to the treasury. */
  readonly treasuryFeeBps?: bigint;
}

export interface TrioOptions {
  readonly asset: Address;
  readonly name: string;
  readonly symbol: string;
  readonly primaryManager?: Address;
  readonly secondaryManagers?: readonly Address[];
  readonly minUpdateIntervalSeconds?: number;
  readonly maxStalenessSeconds?: number;
  readonly performanceFeeBps?: number;
  readonly managementFeeBps?: number;
  readonly feeRecipient?: Address;
}

export interface Trio {
  readonly vault: Address;
  readonly strategy: Address;
  readonly escrow: Address;
  readonly asset: Address;
  /** Of the transaction that made it. */
  readonly blockNumber: bigint;
}

const LOG_PROXY_SLOT = numberToHex(
  BigInt(keccak256(new TextEncoder().encode("vaultops.demo.log-proxy.implementation"))) - 1n,
);

/** Deploys governor, aggregator with its implementations, price oracle and upkeep token, wired to one another. */
export async function deployAggregator(
  chain: DemoChain,
  options: VaultSystemOptions = {},
): Promise<VaultSystem> {
  const owner = options.owner ?? addressOf("deployer");
  const upkeepToken = await deployToken(chain, { name: "Upkeep", symbol: "UP", decimals: 18 });
  const governor = await deploy(chain, "SuperGovernor", [owner], owner);
  const vault = await deploy(chain, "SuperVault", [governor], owner);
  const strategy = await deploy(chain, "SuperVaultStrategy", [governor], owner);
  const escrow = await deploy(chain, "SuperVaultEscrow", [], owner);
  const aggregator = await deploy(chain, "SuperVaultAggregator", [governor, vault, strategy, escrow], owner);
  const oracle = await deploy(chain, "PPSOracle", [aggregator, owner], owner);
  const yieldSourceOracle = await deploy(chain, "YieldSourceOracle", [], owner);

  const govern = (functionName: string, args: readonly unknown[]) =>
    execute(chain, { contract: "SuperGovernor", address: governor, functionName, args, from: owner });
  const entries: [string, Address][] = [
    ["SUPER_VAULT_AGGREGATOR", aggregator],
    ["UPKEEP_TOKEN", upkeepToken],
    ["TREASURY", addressOf("treasury")],
    ["SUPER_BANK", addressOf("treasury")],
    ["ECDSAPPSORACLE", oracle],
  ];
  for (const [name, value] of entries) {
    const key = await read<Hex>(chain, { contract: "SuperGovernor", address: governor, functionName: name });
    await govern("setAddress", [key, value]);
  }
  await govern("setActivePPSOracle", [oracle]);
  if (options.upkeepCost) await govern("setUpkeep", [true, options.upkeepCost]);
  if (options.treasuryFeeBps) await govern("setFeeShare", [0, options.treasuryFeeBps]);
  const keeper = options.ppsKeeper ?? addressOf("ppsKeeper");
  await execute(chain, {
    contract: "PPSOracle",
    address: oracle,
    functionName: "setKeeper",
    args: [keeper, true],
    from: owner,
  });
  return { governor, aggregator, oracle, upkeepToken, yieldSourceOracle };
}

/** Makes a vault, its strategy and its escrow through the aggregator. */
export async function createTrio(chain: DemoChain, system: VaultSystem, options: TrioOptions): Promise<Trio> {
  const primaryManager = options.primaryManager ?? addressOf("primaryManager");
  const params = {
    asset: options.asset,
    name: options.name,
    symbol: options.symbol,
    mainManager: primaryManager,
    secondaryManagers: options.secondaryManagers ?? [],
    minUpdateInterval: BigInt(options.minUpdateIntervalSeconds ?? 60),
    maxStaleness: BigInt(options.maxStalenessSeconds ?? 86_400),
    feeConfig: {
      performanceFeeBps: BigInt(options.performanceFeeBps ?? 1000),
      managementFeeBps: BigInt(options.managementFeeBps ?? 0),
      recipient: options.feeRecipient ?? addressOf("feeRecipient"),
    },
  };
  const { aggregator } = system;
  const receipt = await execute(chain, {
    contract: "SuperVaultAggregator",
    address: aggregator,
    functionName: "createVault",
    args: [params],
    from: primaryManager,
  });
  const { abi } = artifactOf(chain.artifacts, "SuperVaultAggregator");
  const [log] = parseEventLogs({ abi, logs: receipt.logs, eventName: "VaultDeployed" });
  if (!log) throw new Error("the aggregator announced no vault");
  const { vault, strategy, escrow } = (
    log as unknown as { args: Record<"vault" | "strategy" | "escrow", Address> }
  ).args;
  return { vault, strategy, escrow, asset: options.asset, blockNumber: receipt.blockNumber };
}

/** A token that anyone may mint and burn. */
export function deployToken(
  chain: DemoChain,
  options: { readonly name: string; readonly symbol: string; readonly decimals: number },
): Promise<Address> {
  return deploy(chain, "Token", [options.name, options.symbol, options.decimals]);
}

/** A token whose name and symbol are bytes32. */
export function deployBytes32Token(
  chain: DemoChain,
  options: { readonly name: string; readonly symbol: string; readonly decimals: number },
): Promise<Address> {
  return deploy(chain, "Bytes32Token", [
    toBytes32(options.name),
    toBytes32(options.symbol),
    options.decimals,
  ]);
}

/** A token whose name() and symbol() revert. */
export function deployNamelessToken(chain: DemoChain, decimals: number): Promise<Address> {
  return deploy(chain, "NamelessToken", [decimals]);
}

/** A plain ERC-4626 vault; its shares have `decimalsOffset` more decimals than the asset. Also serves as a yield source. */
export function deployErc4626Vault(
  chain: DemoChain,
  options: {
    readonly asset: Address;
    readonly name: string;
    readonly symbol: string;
    readonly decimalsOffset?: number;
    readonly owner?: Address;
  },
): Promise<Address> {
  const owner = options.owner ?? addressOf("primaryManager");
  return deploy(chain, "Erc4626Vault", [
    options.asset,
    options.name,
    options.symbol,
    options.decimalsOffset ?? 0,
    owner,
  ]);
}

/** An ERC-7540 vault; its owner fulfils requests, pauses and grants roles. */
export function deployAsyncVault(
  chain: DemoChain,
  options: {
    readonly asset: Address;
    readonly name: string;
    readonly symbol: string;
    readonly owner?: Address;
  },
): Promise<Address> {
  const owner = options.owner ?? addressOf("primaryManager");
  return deploy(chain, "AsyncVault", [options.asset, options.name, options.symbol, owner]);
}

/** A feed in the shape of Chainlink's; `answer` in its own decimals. */
export function deployPriceFeed(
  chain: DemoChain,
  options: { readonly description: string; readonly decimals?: number; readonly answer: bigint },
): Promise<Address> {
  return deploy(chain, "PriceFeed", [options.description, options.decimals ?? 8, options.answer]);
}

/** A factory of contract wallets (ERC-1271) whose addresses are known before they stand (ERC-6492). */
export function deployContractWalletFactory(chain: DemoChain): Promise<Address> {
  return deploy(chain, "ContractWalletFactory");
}

/** Puts Multicall3 at its canonical address where the node has nothing there. */
export async function ensureMulticall3(chain: DemoChain): Promise<void> {
  const code = await chain.client.getCode({ address: MULTICALL3_ADDRESS });
  if (code !== undefined && code !== "0x") return;
  const { runtimeBytecode } = artifactOf(chain.artifacts, "Multicall3");
  await chain.client.setCode({ address: MULTICALL3_ADDRESS, bytecode: runtimeBytecode });
}

/**
 * Lets any log come from a contract that stands, whatever it is: its code moves aside, and a proxy in its place emits
 * logs on demand and passes every other call on. State and views stay as they were.
 */
export async function enableRawLogs(chain: DemoChain, address: Address): Promise<void> {
  const code = await chain.client.getCode({ address });
  if (code === undefined) throw new Error(`nothing stands at ${address}`);
  const aside: Address = `0x${keccak256(concat(["0x01", address])).slice(-40)}`;
  const { runtimeBytecode } = artifactOf(chain.artifacts, "LogProxy");
  await chain.client.setCode({ address: aside, bytecode: code });
  await chain.client.setStorageAt({ address, index: LOG_PROXY_SLOT, value: padHex(aside, { size: 32 }) });
  await chain.client.setCode({ address, bytecode: runtimeBytecode });
}

/** Emits a log from a contract that `enableRawLogs` prepared, or from a `LogEmitter`. */
export function emitRawLog(
  chain: DemoChain,
  address: Address,
  log: RawLog,
  from: Address = addressOf("deployer"),
) {
  return execute(chain, {
    contract: "LogEmitter",
    address,
    functionName: "emitRaw",
    args: [log.topics, log.data],
    from,
  });
}

/** The initialisation that an ERC-6492 signature of a contract wallet carries, with the wallet's address. */
export async function predictContractWallet(
  chain: DemoChain,
  factory: Address,
  owner: Address,
  salt: Hex,
): Promise<{ wallet: Address; deployCalldata: Hex }> {
  const call = { contract: "ContractWalletFactory", address: factory, args: [owner, salt] };
  const wallet = await read<Address>(chain, { ...call, functionName: "getAddress" });
  const selector = keccak256(new TextEncoder().encode("deploy(address,bytes32)")).slice(0, 10) as Hex;
  const args = encodeAbiParameters([{ type: "address" }, { type: "bytes32" }], [owner, salt]);
  return { wallet, deployCalldata: concat([selector, args]) };
}

function toBytes32(text: string): Hex {
  return padHex(`0x${Buffer.from(text, "utf8").toString("hex")}`, { size: 32, dir: "right" });
}
