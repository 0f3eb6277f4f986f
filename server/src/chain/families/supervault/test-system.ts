// For tests: a node with an aggregator and two trios, one of 6 and one of 18 decimals, and what ingestion does with its blocks.
import type { Address, Hash } from "viem";
import { addressOf } from "../../../../../demo/src/accounts.ts";
import { mine, type Transaction } from "../../../../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../../../../demo/src/deploy.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { directoryOf } from "../../../../test/family-conformance.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../client/client.ts";
import type { Directory, KnownVault, Source } from "../../directory.ts";
import type { RawLog } from "../../rpc/raw.ts";
import type { Decoded } from "../family/family.ts";
import { createFamilies } from "../registry.ts";

export const family = createFamilies(silentLog).supervault;
export const primary = addressOf("primaryManager");
export const secondary = addressOf("secondaryManager");

export class TestSystem {
  readonly chain: TestChain;
  readonly client: ChainClient;
  readonly system: VaultSystem;
  readonly source: Source;
  readonly dollars: Trio;
  readonly ether: Trio;

  private constructor(
    parts: Pick<TestSystem, "chain" | "client" | "system" | "source" | "dollars" | "ether">,
  ) {
    this.chain = parts.chain;
    this.client = parts.client;
    this.system = parts.system;
    this.source = parts.source;
    this.dollars = parts.dollars;
    this.ether = parts.ether;
  }

  static async start(): Promise<TestSystem> {
    const chain = await startTestChain();
    await ensureMulticall3(chain);
    const client = createChainClient({
      chainId: chain.chainId,
      name: "Test",
      rpcUrls: [chain.rpcUrl],
      log: silentLog,
    });
    const system = await deployAggregator(chain, { upkeepCost: 5n });
    const source: Source = {
      family: "supervault",
      address: system.aggregator,
      governor: system.governor,
      oracles: [system.oracle],
    };
    const usd = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
    const eth = await deployToken(chain, { name: "Ether", symbol: "ETH", decimals: 18 });
    const dollars = await createTrio(chain, system, { asset: usd, name: "Dollars", symbol: "vUSD" });
    const ether = await createTrio(chain, system, { asset: eth, name: "Ethers", symbol: "vETH" });
    await mine(chain);
    return new TestSystem({ chain, client, system, source, dollars, ether });
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.chain.stop();
  }

  known(made: Pick<Trio, "vault" | "strategy" | "escrow" | "asset">, decimals: number): KnownVault {
    return {
      family: "supervault",
      address: made.vault,
      source: this.source,
      strategy: made.strategy,
      escrow: made.escrow,
      asset: made.asset,
      share: null,
      assetDecimals: decimals,
      shareDecimals: decimals,
      configuredPrimary: null,
      capabilities: { erc7540_deposit: false, erc7540_redeem: true, erc7575: true },
    };
  }

  trio(asset: Address, name: string, secondaryManagers: Address[] = []): Promise<Trio> {
    return createTrio(this.chain, this.system, { asset, name, symbol: `v${name}`, secondaryManagers });
  }

  aggregatorCall(functionName: string, args: unknown[]): Transaction {
    return {
      contract: "SuperVaultAggregator",
      address: this.system.aggregator,
      functionName,
      args,
      from: primary,
    };
  }

  strategyCall(made: Trio, functionName: string, args: unknown[]): Transaction {
    return { contract: "SuperVaultStrategy", address: made.strategy, functionName, args, from: primary };
  }

  /** Unix seconds of the price that the aggregator holds. */
  async lastUpdate(made: Trio): Promise<bigint> {
    const [reading] = await family.read(this.client, [this.known(made, 6)], "latest");
    return BigInt(reading!.lastPpsUpdate!);
  }

  async head(): Promise<{ number: number; hash: Hash }> {
    const { number, hash } = await this.client.head();
    return { number, hash };
  }

  async logsOf(fromBlock: number, toBlock: number, directory: Directory): Promise<RawLog[]> {
    const logs: RawLog[] = [];
    const range = { fromBlock, toBlock, addresses: directory.addresses() };
    for await (const chunk of this.client.logsInRange(range)) logs.push(...chunk.logs);
    return logs;
  }

  directory(more: readonly KnownVault[] = []): Directory {
    return directoryOf([this.known(this.dollars, 6), this.known(this.ether, 18), ...more]);
  }

  /** Discovers, fetches what belongs to the new, decodes and completes. */
  async follow(
    fromBlock: number,
    {
      reader = this.client,
      more = [],
      toBlock = fromBlock,
    }: { reader?: ChainClient; more?: KnownVault[]; toBlock?: number } = {},
  ): Promise<{ vaults: KnownVault[]; facts: Decoded[] }> {
    const directory = this.directory(more);
    const vaults = (await this.logsOf(fromBlock, toBlock, directory)).flatMap(
      (log) => family.discover(log, directory) ?? [],
    );
    for (const vault of vaults) directory.addVault(vault);
    const decoded = (await this.logsOf(fromBlock, toBlock, directory)).flatMap(
      (log) => family.decode(log, directory) ?? [],
    );
    return { vaults, facts: await family.complete(reader, decoded, directory) };
  }
}
