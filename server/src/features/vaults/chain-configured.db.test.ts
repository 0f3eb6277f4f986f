// Vaults that the configuration names, the whole way on a real node: ERC-4626, ERC-7540, and assets with odd names.
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { execute, passTime, read } from "../../../../demo/src/chain.ts";
import { depositAssets, mintTokens } from "../../../../demo/src/operate.ts";
import { ALICE, BOB, MANAGER, openVaultChain, type VaultChain } from "../../../test/vault-chain.ts";

let world: VaultChain;
let chain: VaultChain["chain"];
let system: VaultChain["system"];
let plain: VaultChain["plain"];
let queued: VaultChain["queued"];
let tokens: VaultChain["tokens"];
let refresh: VaultChain["refresh"];
let caughtUp: VaultChain["caughtUp"];
let get: VaultChain["get"];
let record: VaultChain["record"];
let manage: VaultChain["manage"];
let timeOf: VaultChain["timeOf"];

beforeAll(async () => {
  world = await openVaultChain();
  ({ chain, system, plain, queued, tokens, refresh, caughtUp, get, record, manage, timeOf } = world);
});
afterAll(() => world?.close());

const text = async (value: Promise<unknown>) => String(await value);

describe("vaults that the configuration names", () => {
  test("an ERC-4626 vault whose shares have six decimals more is priced by whole shares, and follows a donation", async () => {
    expect((await record(plain.vault)).unavailable_reasons.pps).toBe("no_supply");
    await depositAssets(chain, plain, ALICE, 1_000_000n);
    await caughtUp();
    const before = await record(plain.vault, ALICE);
    expect(before).toMatchObject({
      family: "erc4626",
      role: null,
      vault_share_decimals: 12,
      underlying_asset_decimals: 6,
      current_pps: "1000000",
      pps_decimals: 6,
      tvl: "1000000",
      remaining_staleness_time: null,
      is_pps_stale: false,
      upkeep_info: null,
      activation: null,
      managers: { primary: MANAGER, secondary: [] },
      created_at: null,
      is_paused: null,
    });
    await mintTokens(chain, plain.asset, plain.vault, 9_000_000n);
    await passTime(chain, 60);
    await depositAssets(chain, plain, BOB, 10n);
    await caughtUp();
    const after = await record(plain.vault);
    const whole = {
      contract: "Erc4626Vault",
      address: plain.vault,
      functionName: "convertToAssets",
      args: [10n ** 12n],
    };
    expect(after.current_pps).toBe(await text(read(chain, whole)));
    expect(BigInt(after.current_pps)).toBeGreaterThan(9_000_000n);
    // Tenfold in a minute, annualised, is no number: null, with the reason.
    expect(after.apy_inception).toBeNull();
    expect(after.unavailable_reasons.apy_inception).toBe("out_of_range");
  });

  test("an ERC-7540 vault shows its requests, its pause and since when", async () => {
    await mintTokens(chain, queued.asset, ALICE, 10n ** 18n);
    const approve = {
      contract: "Token",
      address: queued.asset,
      functionName: "approve",
      args: [queued.vault, 10n ** 18n],
    };
    await execute(chain, { ...approve, from: ALICE });
    const call = (functionName: string, args: readonly unknown[], from: Address) =>
      manage("AsyncVault", queued.vault, functionName, args, from);
    await call("requestDeposit", [10n ** 18n, ALICE, ALICE], ALICE);
    await call("fulfillDeposits", [[ALICE]], MANAGER);
    await call("deposit", [10n ** 18n, ALICE], ALICE);
    const shares = await read<bigint>(chain, {
      contract: "AsyncVault",
      address: queued.vault,
      functionName: "totalSupply",
    });
    await call("requestRedeem", [shares / 4n, ALICE, ALICE], ALICE);
    const paused = await call("pause", [], MANAGER);
    await caughtUp();
    expect(await record(queued.vault)).toMatchObject({
      is_paused: true,
      is_paused_since: await timeOf(paused.blockNumber),
      current_pps: (10n ** 18n).toString(),
      pending_redeems: { count: 1, shares: (shares / 4n).toString() },
      role: "primary_manager",
    });
    await call("unpause", [], MANAGER);
    await call("fulfillRedeems", [[ALICE]], MANAGER);
    await caughtUp();
    expect(await record(queued.vault)).toMatchObject({
      is_paused: false,
      is_paused_since: null,
      pending_redeems: { count: 0, shares: "0" },
    });
  });

  test("assets with odd names are shown as far as they tell them", async () => {
    await refresh.step();
    const assets = await get("/api/v1/registry/token-assets");
    const by = (address: Address) => assets.find((asset: { address: Address }) => asset.address === address);
    expect(by(tokens.coin)).toMatchObject({ symbol: "OLD", name: "Old Coin", decimals: 8 });
    expect(by(tokens.nameless)).toMatchObject({ symbol: null, name: null, decimals: 8 });
    expect(by(tokens.dollar)).toMatchObject({ symbol: "USD", price_usd: 0.9999, price_source: "chainlink" });
    expect(by(system.upkeepToken)).toMatchObject({ symbol: "UP", decimals: 18, price_usd: null });
    const listing = await get("/api/v1/public/vaults");
    expect(listing).toHaveLength(6);
    expect(listing.filter((vault: { tvl_usd: number | null }) => vault.tvl_usd !== null)).toHaveLength(2);
  });
});
