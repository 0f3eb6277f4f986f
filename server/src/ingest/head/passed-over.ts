// Passed over: vaults of a factory that no listed manager managed when they were made. Who manages them now no followed event tells, so their
// views are asked by turns, each once in a sampling interval; a listed manager found there is a sighting, by which the vault is adopted.
import { sql } from "kysely";
import { type Address, zeroAddress } from "viem";
import type { KnownVault, Source } from "../../chain/directory.ts";
import { withManagers } from "../../chain/families/family/access.ts";
import { isChainFault } from "../../chain/rpc/fault.ts";
import type { BlockHeader } from "../../chain/rpc/raw.ts";
import type { ChainContext } from "../block/context.ts";
import { walletsOf } from "../block/managers.ts";
import { insertBlocks } from "../block/rows.ts";
import { insertSightings, listedManagers, type Sighting, sightingsOfAll } from "../block/sightings.ts";

/** Vaults that are asked at one block. */
const AT_ONCE = 50;

export class PassedOver {
  readonly #context: ChainContext;
  /** When each was asked last (Unix seconds of the block); it is asked anew by the next process. */
  readonly #askedAt = new Map<Address, number>();

  constructor(context: ChainContext) {
    this.#context = context;
  }

  /** Looks at those that are due, at the head. A node that does not answer is asked again at the next block. */
  async look(head: BlockHeader): Promise<void> {
    const { store, settings } = this.#context;
    const listed = listedManagers(settings);
    const sources = store.joined.map(({ source }) => source).filter(({ isFactory }) => isFactory);
    for (const source of sources) {
      const list = listed.get(source.address);
      if (!list) continue;
      const before = head.timestamp - settings.pps_sample_seconds;
      const due = (await this.#waiting(source.address)).filter(
        (vault) => (this.#askedAt.get(vault) ?? Number.NEGATIVE_INFINITY) <= before,
      );
      const asked = due.slice(0, AT_ONCE);
      if (asked.length === 0) continue;
      const sightings = await this.#sightings(source, asked, list, head);
      if (sightings === null) return;
      for (const vault of asked) this.#askedAt.set(vault, head.timestamp);
      if (sightings.length > 0) await this.#write(sightings, head);
    }
  }

  async #waiting(source: Address): Promise<Address[]> {
    const { store } = this.#context;
    const { rows } = await sql<{ vault: Address }>`
      select distinct s.strategy_address as vault from manager_sightings s
       where s.chain_id = ${store.chainId} and s.source_address = ${source}
         and not exists (select from manager_sightings o where o.chain_id = s.chain_id
                            and o.strategy_address = s.strategy_address and o.is_listed)
         and not exists (select from vaults v where v.chain_id = s.chain_id and v.address = s.strategy_address)
       order by 1`.execute(store.db.kysely);
    return rows.map(({ vault }) => vault);
  }

  /** null where the node does not tell. */
  async #sightings(
    source: Source,
    addresses: readonly Address[],
    list: ReadonlySet<Address>,
    { number, hash, timestamp }: BlockHeader,
  ): Promise<Sighting[] | null> {
    const { client, families, log } = this.#context;
    const { access, read } = families[source.family];
    try {
      const readings = await read(
        client,
        addresses.map((address) => strangerOf(source, address)),
        { number, hash, timestamp },
      );
      return readings.flatMap((reading, index) => {
        const { managers } = access ? withManagers(reading, access, null) : reading;
        const found = [...new Set([...walletsOf(managers), ...(managers.furtherPrimary ?? [])])];
        const place = { source: source.address, strategy: addresses[index]!, blockTimestamp: timestamp };
        const own = found.filter((manager) => list.has(manager));
        return sightingsOfAll({ ...place, log: { blockNumber: number, blockHash: hash } }, own, {
          list,
          isAnnouncement: false,
        });
      });
    } catch (error) {
      if (!isChainFault(error) || error.code === "wrong_chain") throw error;
      log.debug({ err: error, block: number }, "vaults that are not followed were not read");
      return null;
    }
  }

  async #write(sightings: readonly Sighting[], head: BlockHeader): Promise<void> {
    const { store } = this.#context;
    await store.commit(
      {},
      async (tx) => {
        await insertBlocks(tx, store.chainId, [{ ...head, isEmpty: false }]);
        await insertSightings(tx, store.chainId, sightings);
      },
      () => store.head?.hash === head.hash,
    );
  }
}

/** As much as its roles need: what it holds is nobody's affair. */
function strangerOf(source: Source, address: Address): KnownVault {
  return {
    family: source.family,
    address,
    source,
    strategy: null,
    escrow: null,
    asset: zeroAddress,
    share: null,
    assetDecimals: null,
    shareDecimals: null,
    configuredPrimary: null,
    capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
  };
}
