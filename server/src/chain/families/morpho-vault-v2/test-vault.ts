// For tests: a node with two vaults of Morpho Vault V2 shape, adapters and lending markets, and what ingestion does with their blocks.
import type { Address, Hex } from "viem";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { execute, mine, passTime } from "../../../../../demo/src/chain.ts";
import { deployErc4626Vault, deployToken, ensureMulticall3 } from "../../../../../demo/src/deploy.ts";
import {
  callOf,
  createErc4626Adapter,
  createMarketAdapter,
  createMorphoVault,
  deployMorphoSystem,
  type MorphoMarket,
  type MorphoSystem,
  submit,
  submitAndRun,
  type Timelocked,
} from "../../../../../demo/src/families/morpho-vault-v2.ts";
import { depositAssets } from "../../../../../demo/src/operate.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { knownVault } from "../../../../test/family-follower.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../client/client.ts";
import { Directory, type KnownVault, type Source } from "../../directory.ts";
import { type StoredFact, toStored } from "../../facts.ts";
import type { GovernanceEffect, Tracked, TrackedOf } from "../../governance.ts";
import type { VaultReading } from "../../reading.ts";
import type { RawLog } from "../../rpc/raw.ts";
import type { Decoded, Family } from "../family/family.ts";
import { morphoVaultV2Family } from "./family.ts";

export const OWNER = addressOf("primaryManager");
export const ALLOCATOR = addressOf("secondaryManager");
export const SENTINEL = addressOf("viewer");
export const STRANGER = addressOf("stranger");
export const CURATOR = addressOf("otherManager");
export const DEPOSITOR = demoAccount(10).address;
export const RECIPIENT = addressOf("feeRecipient");

/** An entry of the audit log that a fact makes, with who did it. */
export type Entry = GovernanceEffect & { actor: Address; event: string };

type Parts = Pick<
  TestVault,
  | "chain"
  | "client"
  | "system"
  | "dollar"
  | "ether"
  | "known"
  | "bare"
  | "adapter"
  | "vaultAdapter"
  | "target"
>;

export class TestVault {
  readonly family: Family = morphoVaultV2Family(silentLog);
  readonly directory = new Directory();
  readonly facts: StoredFact[] = [];
  readonly logs: RawLog[] = [];
  readonly #tracked = new Map<NonNullable<keyof Tracked>, Map<string, Readonly<Record<string, never>>>>();
  #upTo = 0;

  readonly chain: TestChain;
  readonly client: ChainClient;
  readonly system: MorphoSystem;
  readonly dollar: Address;
  readonly ether: Address;
  readonly known: KnownVault;
  /** Another one, without anything set. */
  readonly bare: KnownVault;
  readonly adapter: Address;
  readonly vaultAdapter: Address;
  /** What its other adapter puts assets into. */
  readonly target: Address;

  private constructor(parts: Parts) {
    this.chain = parts.chain;
    this.client = parts.client;
    this.system = parts.system;
    this.dollar = parts.dollar;
    this.ether = parts.ether;
    this.known = parts.known;
    this.bare = parts.bare;
    this.adapter = parts.adapter;
    this.vaultAdapter = parts.vaultAdapter;
    this.target = parts.target;
    const { known } = parts;
    this.directory.addSource(known.source);
    this.directory.addVault(known);
  }

  static async start(): Promise<TestVault> {
    const chain = await startTestChain();
    await ensureMulticall3(chain);
    const client = createChainClient({
      chainId: chain.chainId,
      name: "Test",
      rpcUrls: [chain.rpcUrl],
      log: silentLog,
      maxAnswerBytes: 600_000,
    });
    const system = await deployMorphoSystem(chain);
    const dollar = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
    const ether = await deployToken(chain, { name: "Ether", symbol: "WETH", decimals: 18 });
    const one = await createMorphoVault(chain, system, {
      asset: dollar,
      name: "Prime Dollars",
      symbol: "pUSD",
      owner: OWNER,
      curator: CURATOR,
    });
    const two = await createMorphoVault(chain, system, {
      asset: ether,
      name: "Bare",
      symbol: "bETH",
      owner: OWNER,
    });
    const adapter = await createMarketAdapter(chain, system, one.vault);
    const target = await deployErc4626Vault(chain, { asset: dollar, name: "Lower", symbol: "lUSD" });
    const vaultAdapter = await createErc4626Adapter(chain, system, one.vault, target);
    const known = vaultAt(one.vault, dollar, 6);
    const bare = vaultAt(two.vault, ether, 18);
    return new TestVault({
      chain,
      client,
      system,
      dollar,
      ether,
      known,
      bare,
      adapter,
      vaultAdapter,
      target,
    });
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.chain.stop();
  }

  get vault(): Timelocked {
    return { contract: "MorphoVaultV2", address: this.known.address, curator: CURATOR };
  }

  get marketAdapter(): Timelocked {
    return { contract: "MorphoMarketAdapter", address: this.adapter, curator: CURATOR };
  }

  market(lltv = 860_000_000_000_000_000n): MorphoMarket {
    return { loanToken: this.dollar, collateralToken: this.ether, oracle: STRANGER, irm: STRANGER, lltv };
  }

  async call(functionName: string, args: readonly unknown[], from: Address): Promise<void> {
    await execute(this.chain, {
      contract: "MorphoVaultV2",
      address: this.known.address,
      functionName,
      args,
      from,
    });
  }

  async onMarket(functionName: string, args: readonly unknown[]): Promise<void> {
    const address = this.system.markets;
    await execute(this.chain, { contract: "MorphoMarkets", address, functionName, args, from: STRANGER });
  }

  async deposit(assets: bigint): Promise<void> {
    await depositAssets(this.chain, { vault: this.known.address, asset: this.dollar }, DEPOSITOR, assets);
  }

  /** The bytes of a call to the vault. */
  data(functionName: string, args: readonly unknown[]): Hex {
    return callOf(this.chain, "MorphoVaultV2", functionName, args);
  }

  /** Where the timelock is zero. */
  async govern(functionName: string, args: readonly unknown[], from?: Address): Promise<void> {
    await submitAndRun(this.chain, this.vault, functionName, args, from);
  }

  async submit(functionName: string, args: readonly unknown[]): Promise<Hex> {
    const data = this.data(functionName, args);
    await submit(this.chain, this.vault, data);
    return data;
  }

  passTime(seconds: number): Promise<void> {
    return passTime(this.chain, seconds);
  }

  /** Takes in the blocks up to the head as ingestion would; gives the entries of the new ones. */
  async sync(): Promise<Entry[]> {
    const toBlock = Number(await this.chain.client.getBlockNumber());
    const entries: Entry[] = [];
    for (let number = this.#upTo + 1; number <= toBlock; number += 1)
      entries.push(...(await this.#take(number)));
    this.#upTo = toBlock;
    return entries;
  }

  get tracked(): TrackedOf {
    return new Map([[this.known.address, Object.fromEntries(this.#tracked) as Tracked]]);
  }

  /** After a sync. */
  async read(): Promise<VaultReading> {
    await mine(this.chain);
    await this.sync();
    const at = await this.client.head();
    const [reading] = await this.family.read(this.client, [this.known], at, new Map(), this.tracked);
    return reading!;
  }

  async #take(number: number): Promise<Entry[]> {
    const logs: RawLog[] = [];
    for await (const chunk of this.client.logsInRange({
      fromBlock: number,
      toBlock: number,
      addresses: this.directory.addresses(),
    }))
      logs.push(...chunk.logs);
    this.logs.push(...logs);
    const decoded = logs.flatMap((log) => this.family.decode(log, this.directory) ?? []);
    const complete = await this.family.complete(this.client, decoded, this.directory);
    const time = Number((await this.chain.client.getBlock({ blockNumber: BigInt(number) })).timestamp);
    const facts = await Promise.all(complete.map((each) => this.#factOf(each, time)));
    for (const fact of facts) {
      for (const { list, key, value } of this.family.track!(fact)) {
        const own = this.#tracked.get(list) ?? new Map();
        this.#tracked.set(list, own);
        own.delete(key);
        if (value !== null) own.set(key, value);
        if (list === "contract" && value !== null)
          this.directory.addContract(this.known, key as Address, "adapter");
      }
    }
    this.facts.push(...facts);
    return facts.flatMap(({ body, actorWallet }) =>
      body.kind === "governance"
        ? body.effects.map((effect) => ({ ...effect, actor: actorWallet, event: body.event }))
        : [],
    );
  }

  async #factOf({ log, actor, body, vaultAddress }: Decoded, blockTimestamp: number): Promise<StoredFact> {
    const { from } = await this.chain.client.getTransaction({ hash: log.txHash });
    const { blockNumber, blockHash, txHash, txIndex, logIndex } = log;
    return {
      chainId: this.chain.chainId,
      blockNumber,
      blockHash,
      blockTimestamp,
      txHash,
      txIndex,
      logIndex,
      vaultAddress,
      actorWallet: actor ?? addressOfSender(from),
      txFrom: addressOfSender(from),
      body: toStored(body),
    };
  }
}

const SENDERS = [OWNER, ALLOCATOR, SENTINEL, STRANGER, CURATOR, DEPOSITOR, RECIPIENT];

function addressOfSender(from: Address): Address {
  return SENDERS.find((each) => each.toLowerCase() === from.toLowerCase()) ?? from;
}

function vaultAt(address: Address, asset: Address, assetDecimals: number): KnownVault {
  const source: Source = { family: "morpho_vault_v2", address, governor: null, oracles: [] };
  return knownVault(source, address, asset, { assetDecimals });
}
