// Public allocators: contracts through which anyone may move a vault's assets within limits. A vault sees one as the caller; who acted is
// the transaction's sender, and to be one gives nobody a say. They are told by a view that wallets do not have.
import { type Address, zeroAddress } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import type { ChainClient } from "../../client/client.ts";
import { isChainFault } from "../../rpc/fault.ts";
import { ViewBatch, view } from "../family/view.ts";

const ACCRUED_FEE = view<bigint>("accruedFee(address vault) view returns (uint256)");
const ADMIN = view<Address>("admin(address vault) view returns (address)");
const MOST_REMEMBERED = 10_000;

export class PublicAllocators {
  /** What an account is, its code tells, which does not change. */
  readonly #known = new BoundedCache<string, boolean>(MOST_REMEMBERED);

  has(client: ChainClient, account: Address): boolean {
    return this.#known.get(keyOf(client, account)) === true;
  }

  /** Looks at accounts as they are at these blocks, or now where the node has no state so old: their code does not change. */
  async learn(
    client: ChainClient,
    accounts: readonly { account: Address; blockNumber: number }[],
  ): Promise<void> {
    const unknown = new Map(
      accounts
        .filter(({ account }) => this.#known.get(keyOf(client, account)) === undefined)
        .map(({ account, blockNumber }) => [account, blockNumber]),
    );
    const byBlock = Map.groupBy(unknown, ([, number]) => number);
    await Promise.all(
      [...byBlock].map(async ([number, entries]) => {
        const batch = new ViewBatch();
        const asked = entries.map(([account]) => ({
          account,
          admin: batch.add(account, ADMIN, zeroAddress),
          accruedFee: batch.add(account, ACCRUED_FEE, zeroAddress),
        }));
        try {
          await batch.run(client, { number }, { isForGood: true });
        } catch (error) {
          if (!isChainFault(error, "state_missing", "refused")) throw error;
          await batch.run(client, "latest", { isForGood: true });
        }
        for (const { account, admin, accruedFee } of asked) {
          this.#known.set(keyOf(client, account), admin() !== null && accruedFee() !== null);
        }
      }),
    );
  }
}

function keyOf(client: ChainClient, account: Address): string {
  return `${client.chainId}:${account}`;
}
