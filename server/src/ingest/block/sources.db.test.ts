// Sources that come, go, and share contracts: whatever the configuration says, each log is one fact.
import { afterEach, describe, expect, it } from "vitest";
import { addressOf } from "../../../../demo/src/accounts.ts";
import { deploy } from "../../../../demo/src/chain.ts";
import { createTrio, deployErc4626Vault } from "../../../../demo/src/deploy.ts";
import {
  ALL_YEARN_ROLES,
  callYearn,
  createYearnVault,
  deployYearnFactory,
} from "../../../../demo/src/families/yearn-v3.ts";
import { createFollowed, type Followed, type FollowedOptions } from "../../../test/followed.ts";
import { readRecorded } from "../../../test/ground-truth.ts";
import { systemClock } from "../../platform/clock.ts";

let followed: Followed;

async function follow(options: FollowedOptions = {}): Promise<Followed> {
  followed = await createFollowed(options);
  return followed;
}

afterEach(async () => {
  await followed.end();
});

describe("sources", () => {
  it("leaves a source alone that the configuration no longer names, and goes on with it where it stopped", async () => {
    const { activity, database } = await follow({ seed: 57 });
    followed.start();
    for (let index = 0; index < 4; index += 1) await activity.block();
    await followed.settle();
    await followed.stop();
    const ingest = followed.start({ sources: [] });
    for (let index = 0; index < 4; index += 1) await activity.block();
    const head = await headOf();
    await ingest.until(`at ${head}`, (status) => status.head === head);
    const newest = await database.db.pool.query<{ n: number }>("select max(block_number) as n from facts");
    expect(newest.rows[0]!.n).toBeLessThan(head - 4);
    await followed.stop();
    followed.start();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("waits for a configured vault that does not stand yet, says so, and follows everything else meanwhile", async () => {
    let aheadMs = 0;
    const clock = { now: () => systemClock.now() + aheadMs };
    const { activity, database, anvil } = await follow({ seed: 58 });
    const { chain, asset, system } = activity;
    await chain.client.setAutomine(true);
    const undo = await chain.client.snapshot();
    const vault = await deployErc4626Vault(chain, { asset, name: "Plain", symbol: "PLN" });
    await chain.client.revert({ id: undo });
    await chain.client.setAutomine(false);
    const sources = [
      { family: "supervault" as const, aggregator: system.aggregator },
      { family: "erc4626" as const, vaults: [{ address: vault, primary_manager: null }] },
    ];
    const ingest = followed.start({ sources }, { clock });
    await activity.block();
    const status = await ingest.until(
      "one source on",
      ({ head, unready }) => head !== null && unready.length === 1,
    );
    expect(status.unready).toEqual([{ address: vault, reason: expect.stringContaining(vault) }]);
    expect(status.warnings).toEqual([status.unready[0]!.reason]);

    await chain.client.setAutomine(true);
    expect(await deployErc4626Vault(chain, { asset, name: "Plain", symbol: "PLN" })).toBe(vault);
    await chain.client.setAutomine(false);
    aheadMs = 5 * 60_000;
    await ingest.until("both ready", ({ unready }) => unready.length === 0);
    await activity.deposit({ vault, asset });
    for (let index = 0; index < 4; index += 1) await activity.mine();
    await followed.settle();
    const { entries } = await readRecorded(database.db, anvil.chainId);
    expect(
      entries.filter((entry) => entry.vault_address === vault).map(({ action_type }) => action_type),
    ).toEqual(["deposit"]);
  });

  it("are moved from erc4626 alone: that is said, and the vault goes on once it is named as before", async () => {
    const { activity, database, anvil } = await follow({ seed: 59 });
    const { chain, asset } = activity;
    await chain.client.setAutomine(true);
    const options = { asset, name: "Yearn", symbol: "YV" };
    const made = await createYearnVault(chain, await deployYearnFactory(chain), options);
    const { vault, roleManager } = made;
    await callYearn(chain, made, roleManager, "set_role", roleManager, ALL_YEARN_ROLES);
    await callYearn(chain, made, roleManager, "set_deposit_limit", 10n ** 24n);
    await chain.client.setAutomine(false);
    const of = (family: "yearn_v3" | "lagoon") => ({
      sources: [{ family, factory: null, vaults: [{ address: vault, start_block: null }] }],
    });
    const before = of("yearn_v3");
    followed.start(before);
    await activity.block();
    await followed.settle();
    await followed.stop();
    const moved = of("lagoon");
    const ingest = followed.start(moved);
    await activity.block();
    const status = await ingest.until("told", ({ unready }) => unready.length === 1);
    expect(status.unready[0]!.reason).toBe(
      `${vault} is followed as yearn_v3 already and cannot be moved to lagoon: name it under yearn_v3`,
    );
    await followed.stop();
    followed.start(before);
    await activity.deposit({ vault, asset });
    for (let index = 0; index < 4; index += 1) await activity.mine();
    // The source that was not taken up waits for being named again.
    await expect
      .poll(async () => {
        const { entries } = await readRecorded(database.db, anvil.chainId);
        return entries.filter((entry) => entry.vault_address === vault).map(({ action_type }) => action_type);
      })
      .toEqual(expect.arrayContaining(["deposit"]));
  });

  it("says of each source that may be configured otherwise than meant: no contract, or a start above the head", async () => {
    await follow({ seed: 61 });
    const nobody = addressOf("treasury");
    const sources = [{ family: "supervault" as const, aggregator: nobody }];
    const ingest = followed.start({ sources, startBlock: 1_000_000 });
    const { warnings } = await ingest.until(
      "both said",
      (status) => status.warnings.length === 2 && status.error === null,
    );
    expect(warnings).toEqual([
      `there is no contract at the aggregator's address ${nobody}`,
      expect.stringMatching(
        new RegExp(`^${nobody} is followed from start_block 1000000 on, above the newest block \\d+$`),
      ),
    ]);
  });

  it("share a governor: its events are stored and recorded once, whichever source is filled in when", async () => {
    const { activity, database, anvil } = await follow({ seed: 59 });
    const { chain, asset, system } = activity;
    const { governor } = system;
    await chain.client.setAutomine(true);
    const parts = [
      await deploy(chain, "SuperVault", [governor]),
      await deploy(chain, "SuperVaultStrategy", [governor]),
      await deploy(chain, "SuperVaultEscrow"),
    ];
    const aggregator = await deploy(chain, "SuperVaultAggregator", [governor, ...parts]);
    const trio = await createTrio(chain, { ...system, aggregator }, { asset, name: "Second", symbol: "SEC" });
    await chain.client.setAutomine(false);
    followed.start();
    await activity.block();
    await followed.settle();
    await followed.stop();

    const first = { family: "supervault" as const, aggregator: system.aggregator };
    followed.start({ sources: [{ family: "supervault", aggregator }, first] });
    await followed.settle();
    const ofGovernor = await database.db.pool.query<{ n: number }>(
      "select count(*)::int as n from facts where data->>'contract' = 'governor'",
    );
    const logs = await chain.client.getLogs({ address: governor, fromBlock: 0n });
    expect(ofGovernor.rows[0]!.n).toBe(logs.length);
    const { entries } = await readRecorded(database.db, anvil.chainId);
    const changes = entries.filter(({ action_type }) => action_type === "parameter_change");
    expect(changes.map(({ block_number, log_index }) => [block_number, log_index])).toEqual(
      logs.map(({ blockNumber, logIndex }) => [Number(blockNumber), logIndex]),
    );
    const second = entries.filter((entry) => entry.vault_address === trio.vault);
    expect(second.map(({ action_type }) => action_type)).toEqual(["vault_create", "pps_update"]);
  });

  it("do not take a vault from one another: one that is configured by itself is left to that", async () => {
    const { activity, database, anvil } = await follow({ seed: 60 });
    const { system, trios } = activity;
    const vault = trios[0]!.vault;
    followed.start({
      sources: [
        { family: "supervault", aggregator: system.aggregator },
        { family: "erc4626", vaults: [{ address: vault, primary_manager: addressOf("primaryManager") }] },
      ],
    });
    await followed.settle();
    await activity.deposit(trios[0]!);
    await activity.deposit(trios[1]!);
    await followed.settle();
    await followed.settle();
    await followed.settle();
    const { entries } = await readRecorded(database.db, anvil.chainId);
    const deposits = entries.filter(({ action_type }) => action_type === "deposit");
    expect(deposits.map((entry) => entry.vault_address)).toEqual(trios.map((trio) => trio.vault));
  });
});

async function headOf(): Promise<number> {
  return Number(await followed.activity.chain.client.getBlockNumber({ cacheTime: 0 }));
}
