// Governance over rows as ingestion leaves them: told once, over by acknowledgement or time, gone with its block.
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type AlertWorld,
  CHAIN,
  moveHead,
  NOW,
  OTHER,
  openAlertWorld,
  txHash,
  VAULT,
} from "../../../test/alerts.ts";
import { addBlocks, testAddress, undoBlocks } from "../../../test/chain-rows.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
  await world.database.owner.pool.query("update alert_watches set since = to_timestamp(0)");
});
afterEach(() => world.drop());

async function addFact(block: number, effects: object[], vault: string | null = VAULT): Promise<void> {
  await world.db.pool.query(
    `insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
     values ($1, $2, 1, 'governance', $3, $4, 0, $5, $6)`,
    [
      CHAIN,
      block,
      vault,
      txHash(block),
      testAddress(9),
      JSON.stringify({ contract: "vault", event: "E", args: {}, effects }),
    ],
  );
}

const DAY_MS = 86_400_000;

it("is told once it is confirmed, once, and ends after its time", async () => {
  await addFact(9, [{ action: "owner_change", account: testAddress(7) }]);
  await world.evaluate();
  expect(await world.notices()).toEqual([]);
  await addBlocks(world.db, CHAIN, 11, 11);
  await moveHead(world.db, 11);
  await world.evaluate();
  expect(await world.notices()).toEqual([`alert.firing governance/${txHash(9)}:1`]);
  expect(await world.alerts()).toMatchObject([{ severity: "critical", is_unconfirmed: false }]);
  world.clock.ms = NOW + DAY_MS / 2;
  await world.evaluate();
  expect(await world.notices()).toEqual([]);
  world.clock.ms = NOW + 2 * DAY_MS;
  await world.evaluate();
  expect(await world.notices()).toEqual([`alert.resolved governance/${txHash(9)}:1`]);
});

it("ends when it is acknowledged, and is not told again, by another worker or under another rule either", async () => {
  await addFact(6, [{ action: "owner_change" }]);
  await world.evaluate();
  await world.db.pool.query("update alerts set acknowledged_at = now(), acknowledged_by = $1", [
    testAddress(3),
  ]);
  await world.evaluate();
  expect(await world.notices()).toEqual([
    `alert.firing governance/${txHash(6)}:1`,
    `alert.resolved governance/${txHash(6)}:1`,
  ]);
  await world.db.pool.query(
    `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at)
     values ($1, $2, '{"governance": {"resolve_after_seconds": 600000}}', $2, now())`,
    [CHAIN, VAULT],
  );
  expect(await world.evaluate()).toMatchObject({ transitions: 0 });
});

it("of an account behind several vaults is told of each, and withdrawn with its block", async () => {
  await addFact(7, [{ action: "signer_add", account: testAddress(7), vaults: [VAULT, OTHER] }], null);
  await world.evaluate();
  expect(await world.notices()).toHaveLength(2);
  await undoBlocks(world.db, CHAIN, 6);
  await moveHead(world.db, 6, 6);
  await world.evaluate();
  expect((await world.notices()).map((notice) => notice.split(" ")[0])).toEqual([
    "alert.withdrawn",
    "alert.withdrawn",
  ]);
});

it("opens nothing of what happened before it was watched for, or before the vault's source was configured", async () => {
  await addFact(6, [{ action: "owner_change" }]);
  await world.database.owner.pool.query("update alert_watches set since = to_timestamp($1)", [NOW / 1000]);
  await world.evaluate();
  await world.database.owner.pool.query("update alert_watches set since = to_timestamp(0)");
  await world.db.pool.query(
    `insert into sources (chain_id, family, address, start_block) select chain_id, family, source_address, 0 from vaults where address = $1`,
    [VAULT],
  );
  await world.evaluate();
  expect(await world.alerts()).toEqual([]);
});

it("tells of a call that can soon be executed until it does not wait any more", async () => {
  const change = {
    kind: "call",
    id: "c1",
    executable_at: new Date(NOW + 60_000).toISOString(),
    function: "setFee(uint256)",
    arguments: { fee: "5" },
    calldata: "0x00",
    proposer: null,
    effective_at: null,
  };
  const set = (block: number, value: unknown) =>
    world.db.pool.query(
      `insert into vault_states (chain_id, block_number, vault_address, pps_decimals, pending_changes) values ($1, $2, $3, 6, $4)`,
      [CHAIN, block, VAULT, JSON.stringify(value)],
    );
  await set(6, [change]);
  await world.evaluate();
  expect(await world.alerts()).toMatchObject([
    { category: "governance", subject: "ready:c1", severity: "warning" },
  ]);
  await set(8, []);
  await world.evaluate();
  expect(await world.notices()).toEqual([
    "alert.firing governance/ready:c1",
    "alert.resolved governance/ready:c1",
  ]);
});
