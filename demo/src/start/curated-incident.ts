/**
 * The curated vaults' part of an incident: a cap is to be raised and a signer added out of turn, a strategy loses, a market is borrowed
 * empty, a large holder leaves, and a Safe cannot pay what it settles. Each of it is something that a monitor of its own tells of;
 * what can be taken back is taken back in the end.
 */
import type { Address } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import { readCurated } from "../actors/curated-life.ts";
import { type DemoChain, executeTogether, read, type Transaction } from "../chain.ts";
import { addSigner, byDesk, hasFourthSigner, removeSigner } from "../curated/council.ts";
import { askToRedeem, settlement } from "../curated/lagoon.ts";
import { capRaise } from "../curated/morpho.ts";
import type { CuratedVaults } from "../curated/raise.ts";
import { limitDebt, report } from "../curated/yearn.ts";
import { callTo } from "../families/controllers.ts";

const VENUE = addressOf("treasury");
const DEPLOYER = addressOf("deployer");
const UNLIMITED = 2n ** 256n - 1n;
/** Millions of USDC, raw. */
const RAISED_CAP = 3_500_000n * 10n ** 6n;

interface Part {
  readonly strike: readonly Transaction[];
  /** As the chain stands when it is time. */
  readonly recover: () => Promise<readonly Transaction[]>;
}

export interface CuratedIncident {
  strike(): Promise<void>;
  recover(): Promise<void>;
}

/** What is to happen to the vaults as they stand; nothing of it has happened yet. */
export async function curatedIncident(chain: DemoChain, curated: CuratedVaults): Promise<CuratedIncident> {
  const parts = await Promise.all(
    [proposeCap, changeSigners, loseInStrategy, borrowEmpty, leaveAtOnce, leaveUnpaid].map((part) =>
      part(chain, curated),
    ),
  );
  return {
    strike: () =>
      executeTogether(
        chain,
        parts.flatMap(({ strike }) => strike),
      ),
    recover: async () => {
      const recoveries = await Promise.all(parts.map(({ recover }) => recover()));
      await executeTogether(chain, recoveries.flat());
    },
  };
}

async function proposeCap(chain: DemoChain, { morpho_vault_v2: vault }: CuratedVaults): Promise<Part> {
  const { submit, revoke } = capRaise(chain, vault, RAISED_CAP);
  return { strike: [submit], recover: async () => [revoke] };
}

/** An earlier incident that was broken off may have left the signer there. */
async function changeSigners(chain: DemoChain, curated: CuratedVaults): Promise<Part> {
  const isThere = await hasFourthSigner(chain, curated);
  return {
    strike: isThere ? [] : await addSigner(chain, curated),
    recover: () => removeSigner(chain, curated),
  };
}

/** A hundredth is lost and reported, which takes the price along; and the other strategy's limit comes down to what it has. */
async function loseInStrategy(chain: DemoChain, { yearn_v3: yearn }: CuratedVaults): Promise<Part> {
  const view = { contract: "YearnVault", address: yearn.vault };
  const total = await read<bigint>(chain, { ...view, functionName: "totalAssets" });
  const [, , debt, limit] = await read<readonly [bigint, bigint, bigint, bigint]>(chain, {
    ...view,
    functionName: "strategies",
    args: [yearn.side],
  });
  const lost = total / 100n;
  const token = { contract: "Token", address: yearn.asset, from: DEPLOYER };
  return {
    strike: [
      { ...token, functionName: "burn", args: [yearn.main, lost] },
      report(yearn, yearn.main),
      limitDebt(yearn, yearn.side, debt + debt / 1_000n),
    ],
    // What comes back is a gain, of which a tenth is the accountant's.
    recover: async () => [
      { ...token, functionName: "mint", args: [yearn.main, (lost * 112n) / 100n] },
      report(yearn, yearn.main),
      limitDebt(yearn, yearn.side, limit),
    ],
  };
}

/** All but a little of what could be withdrawn is lent out. */
async function borrowEmpty(chain: DemoChain, { metamorpho }: CuratedVaults): Promise<Part> {
  const market = { contract: "LendingMarkets", address: metamorpho.markets, from: VENUE };
  const loans = await Promise.all(
    [metamorpho.main, metamorpho.side].map(async ({ id, params }) => {
      const liquid = await read<bigint>(chain, { ...market, functionName: "expectedLiquidity", args: [id] });
      return { params, assets: (liquid * 999n) / 1_000n };
    }),
  );
  const approval = callOfToken(metamorpho.asset, "approve", [metamorpho.markets, UNLIMITED], VENUE);
  return {
    strike: loans.map(({ params, assets }) => ({
      ...market,
      functionName: "borrow",
      args: [params, assets, VENUE, VENUE],
    })),
    recover: async () => [
      approval,
      ...loans.map(({ params, assets }) => ({
        ...market,
        functionName: "repay",
        args: [params, assets, VENUE],
      })),
    ],
  };
}

/** The largest holder takes an eighth of all at once, and comes back. */
async function leaveAtOnce(chain: DemoChain, { morpho_vault_v2: morpho }: CuratedVaults): Promise<Part> {
  const [holder] = depositors() as [Address];
  const call = { contract: "Erc4626Vault", address: morpho.vault, from: holder };
  const total = await read<bigint>(chain, { ...call, functionName: "totalAssets" });
  const assets = total / 8n;
  return {
    strike: [{ ...call, functionName: "withdraw", args: [assets, holder, holder] }],
    recover: async () => [
      callOfToken(morpho.asset, "approve", [morpho.vault, UNLIMITED], holder),
      { ...call, functionName: "deposit", args: [assets, holder] },
    ],
  };
}

/** The Safe has sent its assets to a venue when a holder's redemption is settled: nobody is paid, until they are back. */
async function leaveUnpaid(chain: DemoChain, curated: CuratedVaults): Promise<Part> {
  const { lagoon } = curated;
  const states = await Promise.all(depositors().map((each) => readCurated(chain, curated, each)));
  const able = states
    .filter(({ hasAsked }) => !hasAsked)
    .toSorted((a, b) => (a.shares.lagoon > b.shares.lagoon ? -1 : 1))[0];
  if (!able || able.shares.lagoon === 0n) return { strike: [], recover: async () => [] };
  const send = callTo(chain, "Token", lagoon.asset, "transfer", [VENUE, able.inSafe]);
  return {
    strike: [
      ...(await byDesk(chain, curated, send)),
      askToRedeem(lagoon, able.holder, able.shares.lagoon / 2n),
      ...(await settlement(chain, lagoon, able.totalAssets.lagoon)),
    ],
    recover: async () => [
      callOfToken(lagoon.asset, "transfer", [lagoon.safe, able.inSafe], VENUE),
      ...(await settlement(chain, lagoon, able.totalAssets.lagoon)),
    ],
  };
}

function callOfToken(
  address: Address,
  functionName: string,
  args: readonly unknown[],
  from: Address,
): Transaction {
  return { contract: "Token", address, functionName, args, from };
}
