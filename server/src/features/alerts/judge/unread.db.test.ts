// What could not be read is no state, whatever its last value was: it opens, changes and resolves nothing.
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type AlertWorld,
  addState,
  moveHead,
  openAlertWorld,
  type StateRow,
} from "../../../../test/alerts.ts";
import { addBlocks, GENESIS_SECONDS } from "../../../../test/chain-rows.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
});
afterEach(() => world.drop());

type Reading = Omit<StateRow, "block">;
const FINE: Reading = {
  upkeep: { balance: 100n, required: 50n },
  lastUpdate: GENESIS_SECONDS + 60,
  expirationSeconds: 86_400,
  merkle: { root: "0x01", is_vetoed: false },
};
const CASES: [string, string, Reading, string][] = [
  ["upkeep", "upkeep", { ...FINE, upkeep: { balance: 10n, required: 50n } }, "upkeep/upkeep"],
  ["the time of the price's update", "last_pps_update", { ...FINE, lastUpdate: null }, "pps_staleness/pps"],
  ["the price's flag", "is_pps_stale_flag", { ...FINE, isFlagged: true }, "pps_staleness/pps"],
  ["the pause", "is_paused", { ...FINE, isPaused: true }, "emergency_pause/vault"],
  ["the veto", "merkle", { ...FINE, merkle: { root: "0x01", is_vetoed: true } }, "merkle/root"],
];

/** A reading at a new block, confirmed at once. */
async function read(block: number, reading: Reading): Promise<string[]> {
  await addBlocks(world.db, 8453, block, block);
  await addState(world.db, { block, ...reading });
  await moveHead(world.db, block, block);
  await world.evaluate();
  return world.notices();
}

it.each(CASES)("%s: what is not read opens nothing, and what is read does", async (_, field, bad, alert) => {
  expect(await read(11, { ...bad, unread: [field] })).toEqual([]);
  expect(await read(12, bad)).toContain(`alert.firing ${alert}`);
});

it.each(CASES)(
  "%s: what is not read resolves nothing, and what is read does",
  async (_, field, bad, alert) => {
    expect(await read(11, bad)).toContain(`alert.firing ${alert}`);
    expect(await read(12, { ...bad, unread: [field] })).toEqual([]);
    expect(await read(13, { ...FINE, unread: [field] })).toEqual([]);
    expect(await read(14, FINE)).toContain(`alert.resolved ${alert}`);
  },
);

it("a value that is null says nothing of upkeep", async () => {
  const low = { ...FINE, upkeep: { balance: 10n, required: 50n } };
  expect(await read(11, low)).toEqual(["alert.firing upkeep/upkeep"]);
  expect(await read(12, { ...FINE, upkeep: { balance: null, required: 50n } })).toEqual([]);
  expect(await read(13, { ...FINE, upkeep: { balance: 100n, required: null } })).toEqual([]);
  expect(await read(14, FINE)).toEqual(["alert.resolved upkeep/upkeep"]);
});
