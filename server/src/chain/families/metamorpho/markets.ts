// The lines of a MetaMorpho vault: markets of Morpho Blue. What a market was last time is remembered with its rate's question, so that
// where nobody touched it since, its interest up to the block is known from one batch.
import { type Address, zeroAddress } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import { lesser } from "../family/amounts.ts";
import { callTable } from "../family/call.ts";
import { ifRead, ViewBatch, view } from "../family/view.ts";
import type { LineWords } from "./actions.ts";
import { GOVERNANCE_CALLS } from "./calls.ts";
import { hasInterest, liquidityOf, type MarketState, withInterest, worthOf } from "./interest.ts";
import type { LineAnswers, Lines } from "./lines.ts";
import { TokenNames } from "./names.ts";
import { lineViews } from "./views.ts";

export interface MarketParams {
  loanToken: Address;
  collateralToken: Address;
  oracle: Address;
  irm: Address;
  lltv: bigint;
}

const PARAMS = "address loanToken, address collateralToken, address oracle, address irm, uint256 lltv";
const MARKET =
  "uint128 totalSupplyAssets, uint128 totalSupplyShares, uint128 totalBorrowAssets, uint128 totalBorrowShares, uint128 lastUpdate, uint128 fee";

const VIEWS = {
  morpho: view<Address>("MORPHO() view returns (address)"),
  params: view<readonly [Address, Address, Address, Address, bigint]>(
    `idToMarketParams(bytes32) view returns (${PARAMS})`,
  ),
  market: view<readonly [bigint, bigint, bigint, bigint, bigint, bigint]>(
    `market(bytes32) view returns (${MARKET})`,
  ),
  position: view<readonly [bigint, bigint, bigint]>(
    "position(bytes32, address) view returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral)",
  ),
  borrowRate: view<bigint>(
    `borrowRateView((${PARAMS}) marketParams, (${MARKET}) market) view returns (uint256)`,
  ),
};

/** For the calls that name a market. */
export const MARKET_WORDS: LineWords = {
  id: "bytes32",
  opened: `(${PARAMS}) marketParams`,
  async argumentOf(context, id) {
    const first = new ViewBatch();
    const morpho = first.add(context.vault.address, VIEWS.morpho);
    await first.run(context, context.block);
    const second = new ViewBatch();
    const params = second.add(morpho() ?? zeroAddress, VIEWS.params, id);
    await second.run(context, context.block);
    return paramsIn(params());
  },
};

const MOST_REMEMBERED = 20_000;

export function marketLines(): Lines {
  const morphoOf = new BoundedCache<string, Address>(MOST_REMEMBERED);
  const paramsOf = new BoundedCache<string, MarketParams>(MOST_REMEMBERED);
  const lastOf = new BoundedCache<string, MarketState>(MOST_REMEMBERED);
  const names = new TokenNames();
  const tokensOf = new WeakMap<LineAnswers, () => Address[]>();

  return {
    kind: "market",
    views: lineViews("bytes32", 184),
    unlimited: (1n << 184n) - 1n,
    calls: callTable(GOVERNANCE_CALLS(`(${PARAMS}) marketParams`, "bytes32")),
    addressOf: () => null,

    async prepare(client, vaults, at) {
      const unknown = vaults.filter(
        ({ address }) => morphoOf.get(`${client.chainId}:${address}`) === undefined,
      );
      const batch = new ViewBatch();
      const asked = unknown.map(({ address }) => [address, batch.add(address, VIEWS.morpho)] as const);
      await batch.run(client, at, { isForGood: true });
      for (const [address, morpho] of asked) {
        const found = morpho();
        if (found !== null) morphoOf.set(`${client.chainId}:${address}`, found);
      }
    },

    ask(batch, client, vault, id, time) {
      const morpho = morphoOf.get(`${client.chainId}:${vault.address}`);
      if (morpho === undefined) return NOTHING;
      const key = `${client.chainId}:${morpho}:${id}`;
      const market = batch.add(morpho, VIEWS.market, id);
      const position = batch.add(morpho, VIEWS.position, id, vault.address);
      const known = paramsOf.get(key);
      const asked = known === undefined ? batch.add(morpho, VIEWS.params, id) : null;
      const params = (): MarketParams | null => known ?? paramsIn(asked!());
      const last = lastOf.get(key);
      const guess =
        known && last && known.irm !== zeroAddress
          ? batch.add(known.irm, VIEWS.borrowRate, known, last)
          : null;
      let rate: (() => bigint | null) | null = null;

      const line: LineAnswers = {
        follow(next) {
          const [state, found] = [stateIn(ifRead(market)), ifRead(params)];
          if (state === null || found === null) return;
          paramsOf.set(key, found);
          lastOf.set(key, state);
          if (!hasInterest(state, BigInt(time)) || found.irm === zeroAddress) return;
          rate =
            guess && last && isSame(last, state)
              ? guess
              : next.add(found.irm, VIEWS.borrowRate, found, state);
        },
        assets() {
          const [state, shares] = [now(), position()?.[0]];
          return state === null || shares === undefined ? null : worthOf(state, shares);
        },
        withdrawable() {
          const [state, assets] = [now(), line.assets()];
          if (state === null || assets === null) return null;
          return lesser(assets, liquidityOf(state));
        },
        label() {
          const found = ifRead(params);
          return found === null ? null : labelOf(found, (token) => names.get(client, token)?.symbol ?? token);
        },
        isBarred: () => false,
        argument: params,
      };
      tokensOf.set(line, () => {
        const found = ifRead(params);
        return found === null
          ? []
          : [found.collateralToken, found.loanToken].filter((each) => each !== zeroAddress);
      });
      return line;

      /** With the interest up to the block. */
      function now(): MarketState | null {
        const state = stateIn(market());
        if (state === null || params() === null) return null;
        if (!hasInterest(state, BigInt(time)) || params()!.irm === zeroAddress) return state;
        const perSecond = rate?.() ?? null;
        return perSecond === null ? null : withInterest(state, perSecond, BigInt(time));
      }
    },

    async learnNames(client, lines, at) {
      await names.learn(client, [...new Set(lines.flatMap((line) => tokensOf.get(line)?.() ?? []))], at);
    },
  };
}

const NOTHING: LineAnswers = {
  follow: () => undefined,
  assets: () => null,
  withdrawable: () => null,
  label: () => null,
  isBarred: () => false,
  argument: () => null,
};

/** A market that was never made has no loan token. */
function paramsIn(values: readonly [Address, Address, Address, Address, bigint] | null): MarketParams | null {
  if (values === null || values[0] === zeroAddress) return null;
  const [loanToken, collateralToken, oracle, irm, lltv] = values;
  return { loanToken, collateralToken, oracle, irm, lltv };
}

function stateIn(values: readonly bigint[] | null): MarketState | null {
  if (values === null) return null;
  const [totalSupplyAssets, totalSupplyShares, totalBorrowAssets, totalBorrowShares, lastUpdate, fee] =
    values as [bigint, bigint, bigint, bigint, bigint, bigint];
  return { totalSupplyAssets, totalSupplyShares, totalBorrowAssets, totalBorrowShares, lastUpdate, fee };
}

function isSame(one: MarketState, other: MarketState): boolean {
  return (Object.keys(one) as (keyof MarketState)[]).every((name) => one[name] === other[name]);
}

/** `wstETH/WETH 94.5%`; a market without collateral holds assets that nobody borrows. */
function labelOf(
  { collateralToken, loanToken, lltv }: MarketParams,
  symbol: (token: Address) => string,
): string {
  if (collateralToken === zeroAddress) return `idle ${symbol(loanToken)}`;
  const percent = Number((lltv * 10_000n) / 10n ** 18n) / 100;
  return `${symbol(collateralToken)}/${symbol(loanToken)} ${percent}%`;
}
