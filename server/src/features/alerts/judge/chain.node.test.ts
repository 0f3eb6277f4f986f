// Alerts over a real node and real ingestion: from a transaction to what is told of it, and a reorganisation that takes it back.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CHAIN, openVaultChain, type VaultChain } from "../../../../test/vault-chain.ts";
import { loadConfig } from "../../../config/load.ts";
import { systemClock } from "../../../platform/clock.ts";
import { type EvaluationParts, evaluateArea } from "./evaluation.ts";

let c: VaultChain;
let parts: EvaluationParts;
let seen = 0;

beforeAll(async () => {
  c = await openVaultChain();
  parts = {
    db: c.db,
    defaults: loadConfig({ env: {} }).alerts.rules,
    chains: [{ chainId: CHAIN, maxLagSeconds: 1e9 }],
    publicUrl: "https://vaultops.example",
    holder: randomUUID(),
    leaseMs: 60_000,
  };
});
afterAll(() => c.close());

/** What is told of a category once everything mined is stored. */
async function told(
  category: string,
): Promise<{ type: string; vault_address: string; data: Record<string, unknown> }[]> {
  await c.caughtUp();
  await evaluateArea(parts, { chainId: CHAIN }, systemClock.now());
  const { rows } = await c.db.pool.query<{ seq: number; type: string; vault_address: string; data: string }>(
    "select seq, type, vault_address, data from events where seq > $1 and type like 'alert.%' order by seq",
    [seen],
  );
  seen = rows.at(-1)?.seq ?? seen;
  return rows
    .map(({ type, vault_address, data }) => ({ type, vault_address, data: JSON.parse(data) }))
    .filter(({ data }) => data.category === category);
}

it("tells of two strategies whose upkeep pays for no update", async () => {
  const events = await told("upkeep");
  expect(events.map(({ vault_address }) => vault_address).sort()).toEqual(
    [c.trio.vault, c.idle.vault].sort(),
  );
  expect(events.find(({ vault_address }) => vault_address === c.trio.vault)).toMatchObject({
    type: "alert.firing",
    data: { severity: "critical", vault_name: "Trio" },
  });
});

it("tells of a pause by its transaction, withdraws it when its block is undone, and resolves one that is ended", async () => {
  const { system, trio, chain, manage } = c;
  const pause = () => manage("SuperVaultAggregator", system.aggregator, "pauseStrategy", [trio.strategy]);
  const { transactionHash } = await pause();
  expect(await told("emergency_pause")).toMatchObject([
    {
      type: "alert.firing",
      vault_address: trio.vault,
      data: { is_unconfirmed: true, details: { tx_hash: transactionHash } },
    },
  ]);
  await chain.client.request({ method: "anvil_reorg", params: [1, []] } as never);
  expect(await told("emergency_pause")).toMatchObject([{ type: "alert.withdrawn" }]);

  await pause();
  const [again] = await told("emergency_pause");
  expect(again).toMatchObject({ type: "alert.firing" });
  await chain.client.mine({ blocks: 3 });
  // The head is stored before what it confirms.
  const isUnconfirmed = async () =>
    (await c.db.pool.query("select is_unconfirmed from alerts where id = $1", [again!.data.id])).rows[0]
      .is_unconfirmed;
  for (const deadline = Date.now() + 240_000; await isUnconfirmed(); ) {
    expect(await told("emergency_pause")).toEqual([]);
    if (Date.now() > deadline) throw new Error("the pause was not confirmed");
  }
  await manage("SuperVaultAggregator", system.aggregator, "unpauseStrategy", [trio.strategy]);
  expect(await told("emergency_pause")).toMatchObject([
    { type: "alert.resolved", data: { id: again!.data.id } },
  ]);
});
