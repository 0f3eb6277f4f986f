// The lines of an Euler Earn vault: ERC-4626 strategies. The vault itself says what they hold for it and what they would pay.
import { type Address, zeroAddress } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import { callTable } from "../family/call.ts";
import { ViewBatch, view } from "../family/view.ts";
import type { LineWords } from "../metamorpho/actions.ts";
import { GOVERNANCE_CALLS } from "../metamorpho/calls.ts";
import type { LineAnswers, Lines } from "../metamorpho/lines.ts";
import { TokenNames } from "../metamorpho/names.ts";
import { lineViews } from "../metamorpho/views.ts";

const VIEWS = {
  creator: view<Address>("creator() view returns (address)"),
  isStrategyAllowed: view<boolean>("isStrategyAllowed(address) view returns (bool)"),
  expectedSupplyAssets: view<bigint>("expectedSupplyAssets(address) view returns (uint256)"),
  maxWithdrawFromStrategy: view<bigint>("maxWithdrawFromStrategy(address) view returns (uint256)"),
};

/** For the calls that name a strategy. */
export const STRATEGY_WORDS: LineWords = {
  id: "address",
  opened: "address id",
  argumentOf: async (_context, id) => id,
};

const MOST_REMEMBERED = 20_000;

export function strategyLines(): Lines {
  /** The factory, which judges strategies whenever a cap is raised. */
  const creatorOf = new BoundedCache<string, Address>(MOST_REMEMBERED);
  const names = new TokenNames();
  const strategyOf = new WeakMap<LineAnswers, Address>();

  return {
    kind: "strategy",
    views: lineViews("address", 136),
    unlimited: (1n << 136n) - 1n,
    calls: callTable(GOVERNANCE_CALLS("address id", "address")),
    addressOf: (id) => id as Address,

    async prepare(client, vaults, at) {
      const unknown = vaults.filter(
        ({ address }) => creatorOf.get(`${client.chainId}:${address}`) === undefined,
      );
      const batch = new ViewBatch();
      const asked = unknown.map(({ address }) => [address, batch.add(address, VIEWS.creator)] as const);
      await batch.run(client, at, { isForGood: true });
      for (const [address, creator] of asked)
        creatorOf.set(`${client.chainId}:${address}`, creator() ?? zeroAddress);
    },

    ask(batch, client, vault, id) {
      const strategy = id as Address;
      const creator = creatorOf.get(`${client.chainId}:${vault.address}`) ?? zeroAddress;
      const isAllowed = batch.add(creator, VIEWS.isStrategyAllowed, strategy);
      const line: LineAnswers = {
        follow: () => undefined,
        assets: batch.add(vault.address, VIEWS.expectedSupplyAssets, strategy),
        withdrawable: batch.add(vault.address, VIEWS.maxWithdrawFromStrategy, strategy),
        label: () => {
          const token = names.get(client, strategy);
          return token?.name ?? token?.symbol ?? null;
        },
        isBarred: () => isAllowed() === false,
        argument: () => strategy,
      };
      strategyOf.set(line, strategy);
      return line;
    },

    async learnNames(client, lines, at) {
      const strategies = lines.map((line) => strategyOf.get(line)).filter((each) => each !== undefined);
      await names.learn(client, [...new Set(strategies)], at);
    },
  };
}
