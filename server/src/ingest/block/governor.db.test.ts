// What a governor changes for every vault at once: which oracle prices them, and what an update costs.
import { afterEach, describe, expect, it } from "vitest";
import { addressOf } from "../../../../demo/src/accounts.ts";
import { deploy, execute } from "../../../../demo/src/chain.ts";
import { pushPps } from "../../../../demo/src/operate.ts";
import { createFollowed, type Followed } from "../../../test/followed.ts";

let followed: Followed;
afterEach(() => followed.end());

const owner = addressOf("deployer");

async function governed() {
  followed = await createFollowed({ seed: 71 });
  const { activity, database } = followed;
  const { chain, system, trios } = activity;
  const govern = async (functionName: string, args: unknown[]) =>
    await execute(chain, {
      contract: "SuperGovernor",
      address: system.governor,
      functionName,
      args,
      from: owner,
    });
  const mined = async (work: () => Promise<unknown>) => {
    await chain.client.setAutomine(true);
    await work();
    await chain.client.setAutomine(false);
    await followed.settle();
  };
  const thresholds = async () => {
    const { rows } = await database.db.pool.query<{ required: string }>(
      `select distinct on (vault_address) upkeep_required::text as required from vault_states
        where vault_address = any($1) order by vault_address, block_number desc`,
      [trios.map(({ vault }) => vault)],
    );
    return rows.map(({ required }) => required);
  };
  const announcedBy = async (address: string) => {
    const logs = await chain.client.getLogs({ address: address as `0x${string}`, fromBlock: 0n });
    const { rows } = await database.db.pool.query<{ n: number }>(
      `select count(*)::int as n from facts where data ->> 'event' = 'PPSValidated' and tx_hash = any($1)`,
      [logs.map(({ transactionHash }) => transactionHash)],
    );
    return { emitted: logs.length, stored: rows[0]!.n };
  };
  return { chain, system, trios, govern, mined, thresholds, announcedBy };
}

describe("what the governor changes", () => {
  it("reaches every vault at once: the oracle's price of an update, whether it is paid for, and the oracle's events", async () => {
    const { chain, system, trios, govern, mined, thresholds, announcedBy } = await governed();
    followed.start();
    await mined(() => govern("setUpkeep", [true, 5n]));
    expect(await thresholds()).toEqual(trios.map(() => "5"));

    let next = system.oracle;
    await mined(async () => {
      next = await deploy(chain, "PPSOracle", [system.aggregator, owner], owner);
      await govern("setGasInfo", [next, 4n]);
    });
    expect(await thresholds()).toEqual(trios.map(() => "5"));
    await mined(() => govern("setActivePPSOracle", [next]));
    expect(await thresholds()).toEqual(trios.map(() => "9"));

    const changed = { ...system, oracle: next };
    await mined(() => pushPps(chain, changed, [{ strategy: trios[0]!.strategy, pps: 1n }], owner));
    expect(await announcedBy(next)).toEqual({ emitted: 1, stored: 1 });
    await mined(() => govern("setUpkeep", [false, 5n]));
    expect(await thresholds()).toEqual(trios.map(() => "0"));

    // A start reads from the tables which oracles there were, and the past is filled in with each of them.
    await followed.stop();
    followed.start();
    await mined(() => pushPps(chain, changed, [{ strategy: trios[0]!.strategy, pps: 1n }], owner));
    expect(await announcedBy(next)).toEqual({ emitted: 2, stored: 2 });
  });

  it("is found in the past as well: events of an oracle that was active once", async () => {
    const { chain, system, trios, govern, mined, announcedBy } = await governed();
    await chain.client.setAutomine(true);
    const once = await deploy(chain, "PPSOracle", [system.aggregator, owner], owner);
    await govern("setActivePPSOracle", [once]);
    const update = [{ strategy: trios[0]!.strategy, pps: 1n }];
    await pushPps(chain, { ...system, oracle: once }, update, owner);
    await govern("setActivePPSOracle", [system.oracle]);
    followed.start();
    await mined(async () => {});
    expect(await announcedBy(once)).toEqual({ emitted: 1, stored: 1 });
  });
});
