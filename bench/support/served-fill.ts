// What the figures over HTTP read: sixty vaults with forty days of prices, ten of them one wallet's, and an audit log.
import { type Address, getAddress, keccak256, numberToHex } from "viem";
import { record } from "../../server/src/audit/append/record.ts";
import type { FactBody } from "../../server/src/chain/facts.ts";
import { vaultsProjection } from "../../server/src/features/vaults/project.ts";
import type { Database } from "../../server/src/platform/db/db.ts";
import { readingOf, SyntheticChain } from "../../server/test/synthetic-chain.ts";
import { operation } from "./audit-log.ts";

export const CHAIN = 8453;
const VAULTS = 60;
const OWN_VAULTS = 10;
const ENTRIES = 20_000;
const [DAYS, DAY_SECONDS] = [40, 86_400];
/** Manages the first ten vaults. */
export const wallet = addressOf(1);
/** The first vault. */
export const firstVault = addressOf(1000);

export async function fillServed(db: Database): Promise<void> {
  const chain = new SyntheticChain(db, vaultsProjection, CHAIN);
  await chain.start();
  const asset = addressOf(2);
  const vaults = Array.from({ length: VAULTS }, (_, n) => addressOf(1000 + n));
  for (const [n, address] of vaults.entries()) {
    await chain.addVault({
      address,
      asset,
      name: `Bench Vault ${n}`,
      symbol: `bv${n}`,
      shareDecimals: 18,
      assetDecimals: 18,
    });
  }
  const start = Math.floor(Date.now() / 1000) - DAYS * DAY_SECONDS;
  const whole = 10n ** 18n;
  const facts = (day: number) =>
    vaults.flatMap((vault, n): { vault: Address; body: FactBody }[] => [
      ...(day === 0
        ? [{ vault, body: { kind: "shares_minted", to: wallet, shares: whole * BigInt(n + 1) } as FactBody }]
        : []),
      { vault, body: { kind: "pps_updated", pps: whole + BigInt(day) * 10n ** 14n, timestamp: 0n } },
    ]);
  for (let day = 0; day < DAYS; day += 1) {
    await chain.apply([chain.block(day + 1, start + day * DAY_SECONDS, facts(day))]);
  }
  const now = Math.floor(Date.now() / 1000);
  const reading = readingOf({
    pps: whole,
    ppsE18: null,
    ppsDecimals: 18,
    totalAssets: 3n * whole,
    totalSupply: 3n * whole,
    escrowedAssets: 0n,
    freeAssets: whole,
    isPaused: false,
    lastPpsUpdate: now,
    ppsExpirationSeconds: DAY_SECONDS,
    maxStalenessSeconds: DAY_SECONDS,
    minUpdateIntervalSeconds: 60,
    isPpsStaleFlag: false,
    hwmPps: whole,
    fees: { performanceFeeBps: 1000n, managementFeeBps: 0n, recipient: wallet },
    managers: { primary: wallet, secondary: [asset] },
    upkeep: { balance: whole, requiredBalance: whole, token: asset },
    merkle: {
      root: keccak256("0x01"),
      proposedRoot: null,
      effectiveAt: null,
      isVetoed: false,
      isGlobalRootVetoed: false,
    },
    yieldSources: [{ address: asset, oracle: wallet, allocationAssets: whole }],
  });
  await chain.apply([
    chain.block(
      DAYS + 1,
      now,
      [],
      vaults.map((vault) => [vault, reading]),
    ),
  ]);
  await db.pool.query(
    "insert into tokens (chain_id, address, symbol, decimals) values ($1, $2, 'WETH', 18)",
    [CHAIN, asset],
  );
  await db.pool.query(
    `insert into token_prices (chain_id, address, price_usd_e18, source, priced_at, checked_at)
     values ($1, $2, 3100e18, 'static', now(), now())`,
    [CHAIN, asset],
  );
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role)
     select $1, v, $2, 'primary_manager' from unnest($3::text[]) v`,
    [CHAIN, wallet, vaults.slice(0, OWN_VAULTS)],
  );
  for (let n = 0; n < ENTRIES; n += 1000) {
    const entries = Array.from({ length: 1000 }, (_, i) => ({
      ...operation(n + i),
      chain_id: CHAIN,
      vault_address: vaults[(n + i) % OWN_VAULTS]!,
    }));
    await db.transaction((tx) => record(tx, entries));
  }
}

function addressOf(n: number): Address {
  return getAddress(`0x${keccak256(numberToHex(n)).slice(26)}`);
}
