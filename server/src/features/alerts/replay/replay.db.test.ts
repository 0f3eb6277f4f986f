// What is replayed is what was told: the same history, judged block by block as it came and all at once afterwards.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  type AlertWorld,
  addState,
  CHAIN,
  moveHead,
  openAlertWorld,
  txHash,
  VAULT,
} from "../../../../test/alerts.ts";
import { addBlocks, GENESIS_SECONDS, testAddress } from "../../../../test/chain-rows.ts";
import { alertsReplayCommand } from "../../../cli/alerts-replay.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { replayVault } from "./replay.ts";

const LAST = 60;
const secondsOf = (block: number) => GENESIS_SECONDS + block * 12;
const RANGE = { fromMs: secondsOf(0) * 1000, toMs: secondsOf(LAST) * 1000 };

let world: AlertWorld;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vaultops-replay-"));
  world = await openAlertWorld();
  await world.database.owner.pool.query("update alert_watches set since = to_timestamp(0)");
  await world.db.pool.query(
    "update vaults set family = 'morpho_vault_v2', created_block = null where address = $1",
    [VAULT],
  );
  await addBlocks(world.db, CHAIN, 11, LAST);
});
afterAll(async () => {
  await world.drop();
  await rm(folder, { recursive: true });
});

let logIndex = 0;
const fact = (block: number, kind: string, data: object) => {
  logIndex += 1;
  return world.db.pool.query(
    `insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
     values ($1, $2, $3, $4, $5, $6, 0, $7, $8)`,
    [CHAIN, block, logIndex, kind, VAULT, txHash(block), testAddress(9), JSON.stringify(data)],
  );
};

/** By block: what came with it. */
const PRICES: Record<number, number | null> = {
  1: 1_000_000,
  5: 999_000,
  9: 999_500,
  12: 980_000,
  20: 1_010_000,
  30: 1_040_000,
  38: null,
  40: 500_000,
  44: 499_000,
};

const RULES = {
  price: { window_seconds: 120 },
  tvl: { window_seconds: 60, change_fraction: 0.015 },
  flows: { resolve_after_seconds: 90 },
  governance: { resolve_after_seconds: 150, notice_seconds: 100 },
};

async function live(block: number): Promise<string[]> {
  const pps = PRICES[block];
  if (pps !== undefined)
    await world.db.pool.query(
      `insert into pps_points (chain_id, block_number, log_index, vault_address, block_timestamp, pps, total_assets, total_supply)
       values ($1, $2, 0, $3, to_timestamp($4), $5::numeric, coalesce($5::numeric, 0), case when $5::numeric is null then 0 else 1000000 end)`,
      [CHAIN, block, VAULT, secondsOf(block), pps],
    );
  if (block === 15) await fact(block, "deposit", { assets: "200000", shares: "200000" });
  if (block === 25)
    await fact(block, "governance", {
      contract: "vault",
      event: "E",
      args: {},
      effects: [{ action: "owner_change", role: "owner", account: testAddress(5) }],
    });
  if (block === 28 || block === 48) {
    const call = {
      kind: "fee",
      proposed: {},
      proposer: testAddress(5),
      effective_at: timestampOfMs(secondsOf(40) * 1000),
    };
    await addState(world.db, { block });
    await world.database.owner.pool.query(
      "update vault_states set pending_changes = $3 where block_number = $1 and vault_address = $2",
      [block, VAULT, JSON.stringify(block === 28 ? [call] : [])],
    );
  }
  await moveHead(world.db, block, block);
  world.clock.ms = secondsOf(block) * 1000;
  await world.evaluate();
  const told = await world.events();
  return told
    .filter(({ type, vault_address: vault }) => type.startsWith("alert.") && vault === VAULT)
    .map(({ type, data }) => `${block} ${type} ${data.category}/${data.subject} ${data.severity}`);
}

const written: string[] = [];
const spoken: string[] = [];
const command = (rulesFile: string | null, more: { from?: string; to?: string } = {}) =>
  alertsReplayCommand({
    db: world.db,
    defaults: world.parts.defaults,
    from: timestampOfMs(RANGE.fromMs),
    to: timestampOfMs(RANGE.toMs),
    ...more,
    rulesFile,
    isJson: true,
    print: (line) => written.push(line),
    tell: (line) => spoken.push(line),
    signal: new AbortController().signal,
  });
beforeEach(() => {
  written.length = 0;
  spoken.length = 0;
});

it("is the same as what was told block by block, at the same blocks", async () => {
  await world.db.pool.query(
    "insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at) values ($1, $2, $3, $2, now())",
    [CHAIN, VAULT, JSON.stringify(RULES)],
  );
  const told: string[] = [];
  for (let block = 1; block <= LAST; block += 1) told.push(...(await live(block)));
  expect(told.length).toBeGreaterThan(12);
  const rules = { ...world.parts.defaults };
  const own = Object.entries(RULES).map(([category, rule]) => [
    category,
    { ...rules[category as keyof typeof RULES], ...rule },
  ]);
  const replayed = await world.db.transaction((tx) =>
    replayVault(tx, { chainId: CHAIN, vaultAddress: VAULT }, { ...rules, ...Object.fromEntries(own) }, RANGE),
  );
  // Live, what time alone brings is seen with the next block.
  const blockOf = (atMs: number) => Math.ceil((atMs / 1000 - GENESIS_SECONDS) / 12);
  const shown = (replayed ?? []).map(
    ({ atMs, type, signal }) =>
      `${blockOf(atMs)} alert.${type} ${signal.category}/${signal.subject} ${signal.severity}`,
  );
  expect(shown.sort()).toEqual(told.sort());
});

it("the command prints a notice a line by the rules of a file, says how far on the other stream, and tells nobody", async () => {
  const file = join(folder, "rules.yaml");
  await writeFile(
    file,
    "price: { is_enabled: false }\ntvl: { is_enabled: false }\nflows: { single_fraction: 1 }\n",
  );
  expect(await command(file)).toBe(0);
  const categories = written
    .map((line) => JSON.parse(line))
    .map(({ category, type }) => `${type} ${category}`);
  expect(categories).toEqual([
    "alert.firing governance",
    "alert.firing governance",
    "alert.resolved governance",
    "alert.resolved governance",
  ]);
  expect(spoken).toEqual([
    expect.stringMatching(/^4 notices of price, tvl, flows, governance of 2 vaults, .* Nobody was told\.$/),
  ]);
  expect(await world.events()).toEqual([]);
});

it.each<[string, () => Promise<unknown>, RegExp]>([
  ["a time that is none", () => command(null, { from: "yesterday" }), /--from is no time: "yesterday"/],
  ["a time that ends before it begins", () => command(null, { to: "2020-01-01" }), /--to is before --from/],
  ["a file that is not there", () => command(join(folder, "none.yaml")), /The rules cannot be read/],
])("the command refuses %s", async (_, run, fault) => {
  await expect(run()).rejects.toThrow(fault);
});

it.each([
  ["price: [", /neither YAML nor JSON/],
  ["prices: {}", /rules\.yaml: /],
  ["price: { jump_fraction: 2 }", /price\.jump_fraction/],
  ["price: { critical_drop_fraction: 0.0001 }", /price\.critical_drop_fraction must not be less/],
])("the command refuses rules such as %s", async (text, fault) => {
  const file = join(folder, "rules.yaml");
  await writeFile(file, text);
  await expect(command(file)).rejects.toThrow(fault);
  expect(written).toEqual([]);
});
