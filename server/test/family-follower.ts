// A family's vaults followed on a node of a test, as ingestion does it: what logs announce is made known, every log becomes a fact, what facts
// say is remembered, and vaults are read in the light of that. It keeps no blocks: the chain may not be reorganised under it.
import { type Address, getAddress } from "viem";
import type { BlockRef, ChainClient, RawLog } from "../src/chain/client/client.ts";
import { Directory, type FurtherRole, type KnownVault, type Source } from "../src/chain/directory.ts";
import { toStored, type VaultFact } from "../src/chain/facts.ts";
import type { Decoded, Family, OpenRequests } from "../src/chain/families/family/family.ts";
import type { GovernanceBody, Json, Tracked, TrackedChange } from "../src/chain/governance.ts";
import type { VaultReading } from "../src/chain/reading.ts";
import type { TestChain } from "./node.ts";

type Remembered = Map<TrackedChange["list"], Map<string, Readonly<Record<string, Json>>>>;

export class Follower {
  readonly directory = new Directory();
  readonly chain: TestChain;
  readonly client: ChainClient;
  readonly family: Family;
  readonly #remembered = new Map<Address, Remembered>();
  #next: number;

  constructor(
    chain: TestChain,
    client: ChainClient,
    family: Family,
    sources: readonly Source[],
    fromBlock = 0,
  ) {
    this.chain = chain;
    this.client = client;
    this.family = family;
    this.#next = fromBlock;
    for (const source of sources) this.directory.addSource(source);
  }

  /** Every fact since it was asked last. */
  async follow(): Promise<VaultFact[]> {
    const toBlock = Number(await this.chain.client.getBlockNumber());
    const fromBlock = this.#next;
    this.#next = toBlock + 1;
    if (fromBlock > toBlock) return [];
    for (const log of await this.logs(fromBlock, toBlock)) {
      const found = this.family.discover(log, this.directory);
      if (found) await this.add(found, { number: log.blockNumber });
    }
    const facts = await this.#facts(fromBlock, toBlock);
    // Contracts that these facts name are followed from their block on.
    const further = facts.flatMap((fact) => this.#contracts(fact));
    return further.length > 0 ? this.#facts(fromBlock, toBlock, true) : this.#remember(facts);
  }

  /** The facts of governance since it was asked last, each with who did it. */
  async governance(): Promise<{ actor: Address; body: GovernanceBody }[]> {
    return (await this.follow()).flatMap(({ body, actorWallet }) =>
      body.kind === "governance" ? [{ actor: actorWallet, body }] : [],
    );
  }

  async add(vault: KnownVault, at: BlockRef = "latest"): Promise<KnownVault> {
    const identity = {
      address: vault.address,
      strategy: null,
      source: vault.source,
      configuredPrimary: null,
    };
    const description = await this.family.describe(this.client, identity, at);
    const { asset, share, assetDecimals, shareDecimals, capabilities } = description;
    const known = { ...vault, asset, share, assetDecimals, shareDecimals, capabilities };
    this.directory.addVault(known);
    return known;
  }

  vault(address: Address): KnownVault {
    const vault = this.directory.vault(address);
    if (!vault) throw new Error(`${address} is not followed`);
    return vault;
  }

  tracked(): ReadonlyMap<Address, Tracked> {
    return new Map(
      [...this.#remembered].map(([vault, lists]) => [vault, Object.fromEntries(lists) as Tracked]),
    );
  }

  async read(address: Address, at: BlockRef = "latest", requests?: OpenRequests): Promise<VaultReading> {
    const [reading] = await this.family.read(
      this.client,
      [this.vault(address)],
      at,
      requests,
      this.tracked(),
    );
    return reading!;
  }

  async logs(fromBlock: number, toBlock: number): Promise<RawLog[]> {
    const logs: RawLog[] = [];
    const range = { fromBlock, toBlock, addresses: this.directory.addresses() };
    for await (const chunk of this.client.logsInRange(range)) logs.push(...chunk.logs);
    return logs;
  }

  async #facts(fromBlock: number, toBlock: number, isLast = false): Promise<VaultFact[]> {
    const logs = await this.logs(fromBlock, toBlock);
    const decoded = logs.flatMap((log) => this.family.decode(log, this.directory) ?? []);
    const complete = await this.family.complete(this.client, decoded, this.directory);
    const facts = await Promise.all(complete.map((each) => this.#factOf(each)));
    return isLast ? this.#remember(facts) : facts;
  }

  async #factOf({ log, vaultAddress, actor, body }: Decoded): Promise<VaultFact> {
    const tx = await this.chain.client.getTransaction({ hash: log.txHash });
    const block = await this.chain.client.getBlock({ blockNumber: BigInt(log.blockNumber) });
    return {
      chainId: this.chain.chainId,
      blockNumber: log.blockNumber,
      blockHash: log.blockHash,
      blockTimestamp: Number(block.timestamp),
      txHash: log.txHash,
      txIndex: log.txIndex,
      logIndex: log.logIndex,
      vaultAddress,
      actorWallet: actor ?? getAddress(tx.from),
      txFrom: getAddress(tx.from),
      body,
    };
  }

  #changes(fact: VaultFact): TrackedChange[] {
    return this.family.track?.({ ...fact, body: toStored(fact.body) }) ?? [];
  }

  #contracts(fact: VaultFact): Address[] {
    const vault = fact.vaultAddress === null ? undefined : this.directory.vault(fact.vaultAddress);
    if (!vault) return [];
    return this.#changes(fact).flatMap(({ list, key, value }) => {
      if (list !== "contract" || value === null) return [];
      const address = key as Address;
      return this.directory.addContract(vault, address, value.role as FurtherRole) ? [address] : [];
    });
  }

  #remember(facts: VaultFact[]): VaultFact[] {
    for (const fact of facts) {
      if (fact.vaultAddress === null) continue;
      const lists: Remembered = this.#remembered.get(fact.vaultAddress) ?? new Map();
      this.#remembered.set(fact.vaultAddress, lists);
      for (const { list, key, value } of this.#changes(fact)) {
        const own = lists.get(list) ?? new Map();
        lists.set(list, own);
        if (value === null) own.delete(key);
        else own.set(key, value);
      }
    }
    return facts;
  }
}

/** A vault of a source as it is known where nothing special is: tokens with 6 and 18 decimals, exits that are immediate. */
export function knownVault(
  source: Source,
  address: Address,
  asset: Address,
  more: Partial<KnownVault> = {},
): KnownVault {
  return {
    family: source.family,
    address,
    source,
    strategy: null,
    escrow: null,
    asset,
    share: null,
    assetDecimals: 6,
    shareDecimals: 18,
    configuredPrimary: null,
    capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
    ...more,
  };
}
