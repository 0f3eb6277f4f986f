// Activity: a chain that lives, for tests. Blocks of random operations: real ones (deployments, deposits, prices that are taken
// and prices that are refused) and logs of every other kind of event, emitted by the very contracts that are followed.
// The same seed on the same node gives the same operations.
import { type Address, encodeFunctionData, type Hex, keccak256, numberToHex } from "viem";
import { addressOf, demoAccounts } from "../../demo/src/accounts.ts";
import { connectChain, type DemoChain, mine, now, send } from "../../demo/src/chain.ts";
import { artifactOf } from "../../demo/src/compile.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  enableRawLogs,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../demo/src/deploy.ts";
import { type EventEntry, encodeEvent } from "../../demo/src/events.ts";
import { AUDITED_EVENTS } from "./entry-rules.ts";

export class Activity {
  readonly chain: DemoChain;
  readonly system: VaultSystem;
  readonly asset: Address;
  /** Trios that can emit any log. */
  readonly trios: readonly Trio[];
  #seed: number;
  #draws = 0;

  constructor(chain: DemoChain, system: VaultSystem, asset: Address, trios: readonly Trio[], seed: number) {
    this.chain = chain;
    this.system = system;
    this.asset = asset;
    this.trios = trios;
    this.#seed = seed;
  }

  /**
   * Contracts and `trios` vaults on a node that mines by itself; from then on it mines when told to.
   * `confirmations` empty blocks follow, so that reorganisations of that depth never reach the contracts.
   */
  static async start(
    rpcUrl: string,
    options: { seed?: number; trios?: number; confirmations?: number } = {},
  ): Promise<Activity> {
    const chain = await connectChain(rpcUrl);
    await ensureMulticall3(chain);
    const system = await deployAggregator(chain);
    const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
    const trios: Trio[] = [];
    for (let index = 0; index < (options.trios ?? 2); index += 1) {
      const names = { name: `Vault ${index}`, symbol: `V${index}` };
      trios.push(await createTrio(chain, system, { asset, ...names, minUpdateIntervalSeconds: 1 }));
    }
    await enableRawLogs(chain, system.aggregator);
    for (const trio of trios) {
      await enableRawLogs(chain, trio.strategy);
      await enableRawLogs(chain, trio.vault);
    }
    await chain.client.setAutomine(false);
    for (let index = 0; index < (options.confirmations ?? 2); index += 1) await mine(chain);
    return new Activity(chain, system, asset, trios, options.seed ?? 1);
  }

  /** A block with up to `most` random operations. Returns its number. */
  async block(most = 4): Promise<number> {
    const count = this.draw(most + 1);
    for (let index = 0; index < count; index += 1) await this.#operate();
    return await this.mine();
  }

  /** A block one second after the last, or more; several share a second now and then. */
  async mine(): Promise<number> {
    await this.chain.client.mine({ blocks: 1 });
    return Number(await this.chain.client.getBlockNumber({ cacheTime: 0 }));
  }

  /** Replaces the last `depth` blocks with as many others, which hold random operations too. */
  async reorg(depth: number): Promise<void> {
    const blocks: [{ from: Address; to: Address; data: Hex }, number][] = [];
    for (let offset = 0; offset < depth; offset += 1) {
      if (this.draw(2) === 0) continue;
      const { to, from, data } = this.#rawLog(this.#anyEvent());
      blocks.push([{ from, to, data }, offset]);
    }
    await this.chain.client.request({ method: "anvil_reorg", params: [depth, blocks] } as never);
  }

  /** One log of an event with random arguments. */
  async emit(event: EventEntry, from?: Address): Promise<void> {
    const log = this.#rawLog(event);
    await this.#send(log.to, log.data, from ?? log.from);
  }

  async deployAndUse(): Promise<void> {
    const { chain, system } = this;
    const manager = addressOf("primaryManager");
    const params = {
      asset: this.asset,
      name: `Vault ${this.draw(1_000_000)}`,
      symbol: "NEW",
      mainManager: manager,
      secondaryManagers: this.draw(2) ? [addressOf("secondaryManager")] : [],
      minUpdateInterval: 1n,
      maxStaleness: 86_400n,
      feeConfig: { performanceFeeBps: 1000n, managementFeeBps: 0n, recipient: addressOf("feeRecipient") },
    };
    const { abi } = artifactOf(chain.artifacts, "SuperVaultAggregator");
    const { result } = await chain.client.simulateContract({
      abi,
      address: system.aggregator,
      functionName: "createVault",
      args: [params],
      account: manager,
      blockTag: "pending",
    });
    const [vault, strategy] = result as [Address, Address];
    // Said of the strategy before it is announced, in the same block.
    const early = AUDITED_EVENTS.find(({ signature }) => signature.startsWith("UpkeepDeposited("))!;
    await this.emit(withStrategy(early, strategy));
    await send(chain, {
      contract: "SuperVaultAggregator",
      address: system.aggregator,
      functionName: "createVault",
      args: [params],
      from: manager,
    });
    await this.deposit({ vault, asset: this.asset });
    await this.price(strategy);
  }

  async deposit(vault: { vault: Address; asset: Address }): Promise<void> {
    const from = demoAccounts()[10 + this.draw(4)]!.address;
    const assets = BigInt(1 + this.draw(1_000_000));
    const token = { contract: "Token", address: vault.asset, from };
    await send(this.chain, { ...token, functionName: "mint", args: [from, assets] });
    await send(this.chain, { ...token, functionName: "approve", args: [vault.vault, assets] });
    await send(this.chain, {
      contract: "Erc4626Vault",
      address: vault.vault,
      functionName: "deposit",
      args: [assets, from],
      from,
    });
  }

  /** A price through the oracle: taken, too frequent, or not monotonic, as its time will have it. */
  async price(strategy: Address): Promise<void> {
    const time = await now(this.chain);
    const args = {
      strategies: [strategy],
      proofsArray: [[]],
      ppss: [1_000_000n + BigInt(this.draw(100_000))],
      timestamps: [this.draw(4) === 0 ? time - 100n : time],
    };
    await send(this.chain, {
      contract: "PPSOracle",
      address: this.system.oracle,
      functionName: "updatePPS",
      args: [args],
      from: addressOf("ppsKeeper"),
    });
  }

  /** A number below `below`, from the seed. */
  draw(below: number): number {
    return Number(BigInt(this.#random()) % BigInt(below));
  }

  async #operate(): Promise<void> {
    const kind = this.draw(20);
    const trio = this.trios[this.draw(this.trios.length)]!;
    if (kind === 0) await this.deployAndUse();
    else if (kind < 3) await this.deposit(trio);
    else if (kind < 6) await this.price(trio.strategy);
    else await this.emit(this.#anyEvent());
  }

  #anyEvent(): EventEntry {
    // A vault is announced by being deployed only.
    const events = AUDITED_EVENTS.filter(({ signature }) => !signature.startsWith("VaultDeployed("));
    return events[this.draw(events.length)]!;
  }

  #rawLog(event: EventEntry): { to: Address; from: Address; data: Hex } {
    const trio = this.trios[this.draw(this.trios.length)]!;
    const args = event.abi.inputs.map((input) => {
      if (input.name === "strategy") return fixedStrategy.get(event) ?? trio.strategy;
      return this.#value(input.type);
    });
    const log = encodeEvent(event.signature, args);
    const to =
      { SuperVaultStrategy: trio.strategy, SuperVault: trio.vault }[event.section] ?? this.system.aggregator;
    const { abi } = artifactOf(this.chain.artifacts, "LogEmitter");
    const data = encodeFunctionData({ abi, functionName: "emitRaw", args: [log.topics, log.data] });
    return { to, from: demoAccounts()[this.draw(10)]!.address, data };
  }

  #value(type: string): unknown {
    if (type.endsWith("[]"))
      return Array.from({ length: this.draw(4) }, () => this.#value(type.slice(0, -2)));
    if (type === "address") return demoAccounts()[this.draw(20)]!.address;
    if (type === "bool") return this.draw(2) === 0;
    if (type === "bytes32") return this.#random();
    if (type === "bytes") return ["0x", "0x1234", this.#random()][this.draw(3)];
    if (type === "string") return ["too far off", "", "línea – ✓", "x".repeat(60)][this.draw(4)];
    // Small ones, ones beyond 2^53, and ones of full width.
    return [BigInt(this.draw(10_000)), 2n ** 60n + BigInt(this.draw(10_000)), BigInt(this.#random())][
      this.draw(3)
    ];
  }

  #random(): Hex {
    this.#draws += 1;
    return keccak256(numberToHex(this.#seed * 2 ** 20 + this.#draws, { size: 32 }));
  }

  async #send(to: Address, data: Hex, from: Address): Promise<void> {
    await this.chain.client.sendUnsignedTransaction({ from, to, data, gas: 3_000_000n });
  }
}

const fixedStrategy = new WeakMap<EventEntry, Address>();

/** The event, its strategy not left to chance. */
function withStrategy(event: EventEntry, strategy: Address): EventEntry {
  const copy = { ...event };
  fixedStrategy.set(copy, strategy);
  return copy;
}
