// Implementations: which code stands behind a vault that is a proxy (EIP-1967), for vaults that are read at the head. No view tells it, so
// that it is read from storage: when a vault is first read, when its facts tell of an upgrade, and once an hour, for code that has been
// replaced without a word. In between the last answer stands; what a reorganisation may have changed is asked for again.
import { type Address, getAddress, type Hex } from "viem";
import type { KnownVault } from "../../chain/directory.ts";
import type { VaultFact } from "../../chain/facts.ts";
import { VIEWS } from "../../chain/families/family/vault-views.ts";
import { ViewBatch } from "../../chain/families/family/view.ts";
import { isChainFault } from "../../chain/rpc/fault.ts";
import type { BlockHeader } from "../../chain/rpc/raw.ts";
import type { ChainContext } from "../block/context.ts";

/** keccak256("eip1967.proxy.implementation") - 1, and the same of "beacon". */
const IMPLEMENTATION_SLOT: Hex = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON_SLOT: Hex = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
const AGAIN_SECONDS = 3_600;

interface Told {
  implementation: Address | null;
  /** Unix seconds of the block at which it was read. */
  at: number;
}

export class Implementations {
  readonly #told = new Map<Address, Told>();

  /** By vault; one that the node did not tell, and never had, is missing. */
  async read(
    { client, log }: Pick<ChainContext, "client" | "log">,
    vaults: readonly KnownVault[],
    block: BlockHeader,
    facts: readonly VaultFact[],
  ): Promise<ReadonlyMap<Address, Address | null>> {
    const upgraded = new Set(facts.filter(tellsOfUpgrade).map(({ vaultAddress }) => vaultAddress));
    const due = vaults
      .map(({ address }) => address)
      .filter((address) => {
        const told = this.#told.get(address);
        return told === undefined || upgraded.has(address) || block.timestamp - told.at >= AGAIN_SECONDS;
      });
    for (const address of due) if (upgraded.has(address)) this.#told.delete(address);
    try {
      const found = await implementationsOf(client, due, block);
      for (const [address, implementation] of found)
        this.#told.set(address, { implementation, at: block.timestamp });
    } catch (error) {
      if (!isChainFault(error) || error.code === "wrong_chain") throw error;
      log.warn({ err: error, block: block.number, vaults: due.length }, "implementations could not be read");
    }
    return new Map(
      vaults.flatMap(({ address }) => {
        const told = this.#told.get(address);
        return told === undefined ? [] : [[address, told.implementation] as const];
      }),
    );
  }

  undo(): void {
    this.#told.clear();
  }
}

function tellsOfUpgrade({ body }: VaultFact): boolean {
  return body.kind === "governance" && body.effects.some(({ action }) => action === "upgrade");
}

/** @throws ChainFault when the node fails */
async function implementationsOf(
  client: ChainContext["client"],
  addresses: readonly Address[],
  { number, hash }: BlockHeader,
): Promise<Map<Address, Address | null>> {
  const at = { number, hash };
  const slots = addresses.flatMap((address) => [
    { address, slot: IMPLEMENTATION_SLOT },
    { address, slot: BEACON_SLOT },
  ]);
  const words = await client.storage(slots, at);
  const batch = new ViewBatch();
  const found = addresses.map((address, index) => {
    const own = addressIn(words[index * 2]!);
    const beacon = addressIn(words[index * 2 + 1]!);
    if (own !== null || beacon === null) return [address, () => own] as const;
    return [address, batch.add(beacon, VIEWS.implementation)] as const;
  });
  await batch.run(client, at);
  return new Map(found.map(([address, implementation]) => [address, implementation()]));
}

/** null for an empty slot, and for one that holds no address. */
function addressIn(word: Hex): Address | null {
  const digits = word.slice(2).padStart(64, "0");
  return /^0{24}(?!0{40})/.test(digits) ? getAddress(`0x${digits.slice(24)}`) : null;
}
