// For tests: a node with a curated vault of each family over two lines, and what ingestion does with its blocks. Both are driven alike: what
// differs is how a call names a line.
import { type Address, type Hex, pad } from "viem";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { execute, now, passTime, read } from "../../../../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../../../../demo/src/deploy.ts";
import {
  createEulerEarn,
  createStrategy,
  deployEuler,
  type EulerSystem,
} from "../../../../../demo/src/families/euler-earn.ts";
import {
  createMarket,
  createMetaMorpho,
  deployMetaMorphoV1,
  deployMorpho,
  type LendingMarket,
  type MorphoSystem,
} from "../../../../../demo/src/families/metamorpho.ts";
import { mintTokens } from "../../../../../demo/src/operate.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { directoryOf } from "../../../../test/family-conformance.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../client/client.ts";
import type { KnownVault, Source } from "../../directory.ts";
import { toStored } from "../../facts.ts";
import type { GovernanceBody, Tracked, TrackedOf } from "../../governance.ts";
import type { VaultReading } from "../../reading.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { lesser } from "../family/amounts.ts";
import type { Decoded, Family } from "../family/family.ts";
import { createFamilies } from "../registry.ts";

export const OWNER = addressOf("primaryManager");
export const CURATOR = addressOf("secondaryManager");
export const ALLOCATOR = addressOf("viewer");
export const GUARDIAN = addressOf("stranger");
export const ANYONE = addressOf("otherManager");
export const HOLDER = demoAccount(11).address;
export const BORROWER = demoAccount(12).address;

export const FAMILIES = ["metamorpho", "euler_earn"] as const;
export type CuratedName = (typeof FAMILIES)[number];

export interface Line {
  id: Hex;
  /** How a call names it where it is opened. */
  argument: unknown;
}

/** 2 % a year, per second and × 10^18. */
const RATE = 634_195_839n;

export class CuratedWorld {
  readonly chain: TestChain;
  readonly client: ChainClient;
  readonly asset: Address;
  readonly morpho: MorphoSystem;
  readonly euler: EulerSystem;
  #salt = 0;

  private constructor(parts: Pick<CuratedWorld, "chain" | "client" | "asset" | "morpho" | "euler">) {
    ({
      chain: this.chain,
      client: this.client,
      asset: this.asset,
      morpho: this.morpho,
      euler: this.euler,
    } = parts);
  }

  static async start(): Promise<CuratedWorld> {
    const chain = await startTestChain();
    await ensureMulticall3(chain);
    const { chainId, rpcUrl } = chain;
    const client = createChainClient({ chainId, name: "Test", rpcUrls: [rpcUrl], log: silentLog });
    const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
    const morpho = await deployMorpho(chain, RATE);
    const euler = await deployEuler(chain);
    return new CuratedWorld({ chain, client, asset, morpho, euler });
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.chain.stop();
  }

  /** A vault without a timelock and with no lines yet. */
  async vault(family: CuratedName, timelockSeconds = 0): Promise<TestVault> {
    const options = { ...this.#options(), timelockSeconds };
    const address =
      family === "metamorpho"
        ? await createMetaMorpho(this.chain, this.morpho, options)
        : await createEulerEarn(this.chain, this.euler, options);
    return new TestVault(this, family, address, family === "metamorpho" ? "MetaMorphoV1_1" : "EulerEarn");
  }

  async vaultOfVersion1(): Promise<TestVault> {
    const address = await deployMetaMorphoV1(this.chain, this.morpho, {
      ...this.#options(),
      timelockSeconds: 86_400,
    });
    return new TestVault(this, "metamorpho", address, "MetaMorpho");
  }

  async line(family: CuratedName, name: string): Promise<Line> {
    if (family === "euler_earn") {
      const id = await createStrategy(this.chain, this.euler, {
        asset: this.asset,
        name,
        symbol: `e${name}`,
      });
      return { id, argument: id };
    }
    const { id, params } = await this.market(name);
    return { id, argument: params };
  }

  async market(symbol: string): Promise<LendingMarket> {
    const collateralToken = await deployToken(this.chain, { name: symbol, symbol, decimals: 18 });
    const lltv = 860_000_000_000_000_000n;
    return await createMarket(this.chain, this.morpho, { loanToken: this.asset, collateralToken, lltv });
  }

  /** Lends out what a line holds. */
  async lend(family: CuratedName, line: Line, assets: bigint): Promise<void> {
    const [contract, address] = this.#lineContract(family, line);
    const args = family === "metamorpho" ? [line.argument, assets, BORROWER, BORROWER] : [assets, BORROWER];
    const functionName = family === "metamorpho" ? "borrow" : "lend";
    await execute(this.chain, { contract, address, functionName, args, from: BORROWER });
  }

  /** Of what was lent so much is lost; all of it in a market. */
  async lose(family: CuratedName, line: Line, assets: bigint): Promise<void> {
    const [contract, address] = this.#lineContract(family, line);
    const args = family === "metamorpho" ? [line.argument, BORROWER] : [assets];
    await execute(this.chain, { contract, address, functionName: "writeOff", args, from: ANYONE });
  }

  #lineContract(family: CuratedName, line: Line): [string, Address] {
    return family === "metamorpho" ? ["LendingMarkets", this.morpho.markets] : ["LendingStrategy", line.id];
  }

  #options() {
    this.#salt += 1;
    return {
      asset: this.asset,
      name: "Vault",
      symbol: "cUSD",
      owner: OWNER,
      salt: pad(`0x${this.#salt.toString(16)}`),
    };
  }
}

/** What a call did: who acted and what it says, by event. */
export interface Told {
  event: string;
  actor: Address | null;
  effects: GovernanceBody["effects"];
}

export class TestVault {
  readonly world: CuratedWorld;
  readonly name: CuratedName;
  readonly address: Address;
  readonly contract: string;
  readonly family: Family;
  readonly known: KnownVault;
  /** As ingestion keeps it, of all blocks that were followed. */
  readonly tracked = new Map<string, Map<string, Record<string, never>>>();

  constructor(world: CuratedWorld, name: CuratedName, address: Address, contract: string) {
    this.world = world;
    this.name = name;
    this.address = address;
    this.contract = contract;
    this.family = createFamilies(silentLog)[name];
    const source: Source = { family: name, address, governor: null, oracles: [] };
    this.known = {
      family: name,
      address,
      source,
      strategy: null,
      escrow: null,
      asset: world.asset,
      share: null,
      assetDecimals: 6,
      shareDecimals: name === "metamorpho" ? 18 : 6,
      configuredPrimary: null,
      capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
    };
  }

  /** Sends a transaction and tells what it did that the audit log records. */
  async do(from: Address, functionName: string, args: readonly unknown[] = []): Promise<Told[]> {
    const { contract, address } = this;
    const receipt = await execute(this.world.chain, { contract, address, functionName, args, from });
    return await this.told(Number(receipt.blockNumber));
  }

  async told(fromBlock: number, toBlock = fromBlock): Promise<Told[]> {
    return (await this.follow(fromBlock, toBlock)).flatMap(({ body, actor }) =>
      body.kind === "governance" && body.effects.length > 0
        ? [{ event: body.event, actor, effects: body.effects }]
        : [],
    );
  }

  /** Decodes and completes the vault's logs of some blocks, and tracks what they say. */
  async follow(fromBlock: number, toBlock = fromBlock): Promise<Decoded[]> {
    const directory = directoryOf([this.known]);
    const decoded = (await this.logs(fromBlock, toBlock)).flatMap(
      (log) => this.family.decode(log, directory) ?? [],
    );
    const facts = await this.family.complete(this.world.client, decoded, directory);
    for (const { body, actor, log, vaultAddress } of facts) {
      const fact = {
        body: JSON.parse(JSON.stringify(toStored(body))),
        actorWallet: actor ?? ANYONE,
        vaultAddress,
        blockNumber: log.blockNumber,
        blockTimestamp: Number(
          (await this.world.chain.client.getBlock({ blockNumber: BigInt(log.blockNumber) })).timestamp,
        ),
      };
      for (const { list, key, value } of this.family.track!(fact as never)) {
        const own = this.tracked.get(list) ?? new Map();
        this.tracked.set(list, own);
        if (value === null) own.delete(key);
        else own.set(key, value);
      }
    }
    return facts;
  }

  async logs(fromBlock: number, toBlock = fromBlock): Promise<RawLog[]> {
    const logs: RawLog[] = [];
    const range = { fromBlock, toBlock, addresses: [this.address] };
    for await (const chunk of this.world.client.logsInRange(range)) logs.push(...chunk.logs);
    return logs;
  }

  trackedOf(): TrackedOf {
    return new Map([[this.address, Object.fromEntries(this.tracked) as unknown as Tracked]]);
  }

  async reading(): Promise<VaultReading> {
    const { number, hash, timestamp } = await this.world.client.head();
    const at = { number, hash, timestamp };
    return (await this.family.read(this.world.client, [this.known], at, new Map(), this.trackedOf()))[0]!;
  }

  view<T>(functionName: string, ...args: unknown[]): Promise<T> {
    return read<T>(this.world.chain, { contract: this.contract, address: this.address, functionName, args });
  }

  /** What the contracts say that a line holds for the vault. */
  async worth(line: Line): Promise<bigint> {
    if (this.name === "euler_earn") return await this.view("expectedSupplyAssets", line.id);
    return await this.#market("expectedSupplyAssets", line.id, this.address);
  }

  async withdrawable(line: Line): Promise<bigint> {
    if (this.name === "euler_earn") return await this.view("maxWithdrawFromStrategy", line.id);
    const liquidity = await this.#market("expectedLiquidity", line.id);
    return lesser(await this.worth(line), liquidity);
  }

  async #market(functionName: string, ...args: unknown[]): Promise<bigint> {
    const { chain, morpho } = this.world;
    return await read(chain, { contract: "LendingMarkets", address: morpho.markets, functionName, args });
  }

  /** A line with a cap, accepted at once where there is no timelock, else after it. */
  async open(line: Line, cap: bigint): Promise<void> {
    await this.do(OWNER, "submitCap", [line.argument, cap]);
    await passTime(this.world.chain, Number(await this.view<bigint>("timelock")) + 1);
    await this.do(ANYONE, "acceptCap", [line.argument]);
  }

  async deposit(assets: bigint): Promise<Decoded[]> {
    const { chain, asset } = this.world;
    await mintTokens(chain, asset, HOLDER, assets);
    const args = [this.address, assets];
    await execute(chain, { contract: "Token", address: asset, functionName: "approve", args, from: HOLDER });
    const call = {
      contract: this.contract,
      address: this.address,
      functionName: "deposit",
      args: [assets, HOLDER],
    };
    const receipt = await execute(chain, { ...call, from: HOLDER });
    return await this.follow(Number(receipt.blockNumber));
  }

  async now(): Promise<bigint> {
    return await now(this.world.chain);
  }
}
