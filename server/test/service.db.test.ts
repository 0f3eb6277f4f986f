// The whole service on a real node and a real database, over real HTTP: what an operator relies on, from the chain to the answer.

import { readFile } from "node:fs/promises";
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, demoAccount } from "../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, mine, read } from "../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  type Trio,
  type VaultSystem,
} from "../../demo/src/deploy.ts";
import { tokenCommand } from "../src/cli/sign-in.ts";
import { startWholeService, type WholeService } from "./whole-service.ts";

const CHAIN_ID = 84_530;

let node: Anvil;
let chain: DemoChain;
let system: VaultSystem;
let trios: Trio[];
let service: WholeService;
let token: string;

beforeAll(async () => {
  node = await startAnvil({ chainId: CHAIN_ID });
  chain = await connectChain(node.rpcUrl);
  system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  const options = { asset, secondaryManagers: [addressOf("secondaryManager")] };
  trios = [
    await createTrio(chain, system, { ...options, name: "One", symbol: "ONE" }),
    await createTrio(chain, system, { ...options, name: "Two", symbol: "TWO" }),
    await createTrio(chain, system, {
      ...options,
      name: "Other",
      symbol: "OTH",
      primaryManager: addressOf("otherManager"),
    }),
  ];
  service = await startWholeService({
    chains: [
      {
        chain_id: CHAIN_ID,
        rpc_urls: [node.rpcUrl],
        confirmations: 2,
        sources: [{ family: "supervault", aggregator: system.aggregator }],
      },
    ],
  });
  await mine(chain);
  await until(async () => (await get<unknown[]>("/api/v1/public/vaults")).length === 3);
  token = await tokenCommand({ baseUrl: service.url, privateKey: demoAccount(0).privateKey });
});

afterAll(async () => {
  await service?.stop();
  await node?.stop();
});

describe("auth/me follows the chain", () => {
  it("lists exactly the vaults that the chain says the wallet manages", async () => {
    await until(async () => (await managed(0)).length === 2);
    expect((await managed(0)).sort()).toEqual((await onchain(addressOf("primaryManager"))).sort());
    // The third vault stands in a later block than those two.
    await until(async () => (await managed(1)).length === 3);
  });

  it("says so in the next block's answer when the primary manager changes, and takes it back with a reorganisation of that block", async () => {
    const [one] = trios as [Trio];
    const ancestor = await chain.client.snapshot();
    const before = await chain.client.getBlockNumber();
    await impersonating(system.governor, () =>
      execute(chain, {
        contract: "SuperVaultAggregator",
        address: system.aggregator,
        functionName: "changePrimaryManager",
        args: [one.strategy, addressOf("otherManager"), addressOf("feeRecipient")],
        from: system.governor,
      }),
    );
    await until(async () => (await headBlock()) >= Number(before) + 1);
    // The block's notice may still be on its way to who keeps roles in memory.
    await until(async () => !(await managed(0)).includes(one.vault));
    expect(await onchain(addressOf("primaryManager"))).not.toContain(one.vault);

    await chain.client.revert({ id: ancestor });
    // The other branch is longer, as the one that wins is.
    await chain.client.mine({ blocks: 3 });
    await until(async () => (await managed(0)).includes(one.vault));
    expect((await managed(0)).sort()).toEqual((await onchain(addressOf("primaryManager"))).sort());
  });

  it("writes the audit entry of an operation when its block is confirmed, once, and shows it to the vault's managers alone", async () => {
    const [one] = trios as [Trio];
    await execute(chain, {
      contract: "SuperVaultAggregator",
      address: system.aggregator,
      functionName: "addSecondaryManager",
      args: [one.strategy, addressOf("temporaryManager")],
      from: addressOf("primaryManager"),
    });
    const filter = `/api/v1/audit/logs?vault_address=${one.vault}&chain_id=${CHAIN_ID}&action_type=secondary_manager_add`;
    expect((await get<{ total: number }>(filter, token)).total).toBe(0);
    await chain.client.mine({ blocks: 2 });
    await until(async () => (await get<{ total: number }>(filter, token)).total === 1);
    const { logs } = await get<{ logs: { actor_wallet: Address; details: Record<string, unknown> }[] }>(
      filter,
      token,
    );
    expect(logs[0]).toMatchObject({
      actor_wallet: addressOf("primaryManager"),
      details: { manager: addressOf("temporaryManager") },
    });

    const stranger = await tokenCommand({
      baseUrl: service.url,
      privateKey: demoAccount(3).privateKey,
    });
    const refused = await fetch(`${service.url}${filter}`, {
      headers: { authorization: `Bearer ${stranger}` },
    });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: "insufficient_role" });
  });
});

describe("the service", () => {
  it("is ready, serves its metrics, and describes every route that it serves", async () => {
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 200);
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
    expect(metrics).toContain("vaultops_http_request_duration_seconds");
    // Those that the generated reference does not know of were made where scripts/gen-metrics.ts does not look.
    const reference = await readFile(
      new URL("../../docs/operations/metrics-and-logs.md", import.meta.url),
      "utf8",
    );
    const served = [...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
    expect(served.filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
    const { paths } = await get<{ paths: Record<string, unknown> }>("/openapi.json");
    for (const path of [
      "/api/v1/auth/me",
      "/api/v1/audit/logs",
      "/api/v1/public/vaults",
      "/api/v1/chains",
      "/api/v1/registry/token-assets",
    ]) {
      expect(Object.keys(paths)).toContain(path);
    }
  });
});

/** Vaults that auth/me says the account manages as primary or secondary manager. */
async function managed(account: number): Promise<Address[]> {
  const bearer =
    account === 0 && token
      ? token
      : await tokenCommand({ baseUrl: service.url, privateKey: demoAccount(account).privateKey });
  const me = await get<{ vaults: { vault_address: Address; role: string }[] }>("/api/v1/auth/me", bearer);
  return me.vaults.filter(({ role }) => role !== "view_only").map(({ vault_address }) => vault_address);
}

/** Vaults whose primary manager the wallet is, as the aggregator answers. */
async function onchain(wallet: Address): Promise<Address[]> {
  const managers = await Promise.all(
    trios.map(({ strategy }) =>
      read<Address>(chain, {
        contract: "SuperVaultAggregator",
        address: system.aggregator,
        functionName: "getMainManager",
        args: [strategy],
      }),
    ),
  );
  return trios.filter((_, index) => managers[index] === wallet).map(({ vault }) => vault);
}

async function headBlock(): Promise<number> {
  return (await get<{ head_block: number | null }[]>("/api/v1/chains"))[0]?.head_block ?? -1;
}

async function get<T>(path: string, bearer?: string): Promise<T> {
  const response = await fetch(
    `${service.url}${path}`,
    bearer ? { headers: { authorization: `Bearer ${bearer}` } } : {},
  );
  expect(response.status, `${path}: ${await response.clone().text()}`).toBe(200);
  return (await response.json()) as T;
}

async function impersonating(address: Address, work: () => Promise<unknown>): Promise<void> {
  await chain.client.setBalance({ address, value: 10n ** 18n });
  await chain.client.impersonateAccount({ address });
  await work();
  await chain.client.stopImpersonatingAccount({ address });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < 240_000; waitedMs += 50) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it did not come to hold in time");
}
