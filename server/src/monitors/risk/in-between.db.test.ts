// What may come between what is wrong and what is told of it, for each category of a vault's own risk: a rule that is changed, a restart.
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AlertWorld, txHash, VAULT } from "../../../test/alerts.ts";
import { testAddress } from "../../../test/chain-rows.ts";
import { openRiskWorld, riskRows } from "./test-rows.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openRiskWorld();
  await sample(4, 1_000_000, 1_000_000);
  await state(6, { total_assets: 1000, liquidity: liquid("500"), allocations: [] });
});
afterEach(() => world.drop());

const { rules, sample, fact, state, told, reorganise } = riskRows(() => world);

const liquid = (withdrawable: string) => ({
  idle_assets: "0",
  withdrawable_assets: withdrawable,
  is_exit_immediate: true,
});

interface Between {
  category: string;
  subject: string;
  /** What is wrong at block 8, on top of what stood at block 4. */
  strike(): Promise<unknown>;
  /** Under which it is told; the configuration's where left out. */
  tight?: object;
  /** Under which it is not. */
  loose: object;
  /** It happened, and does not last: told once. */
  isOnce?: boolean;
}

const capped = { id: "0xa", label: "Alpha", assets: "91", absolute_cap: "100", is_absolute_capped: true };
const governed = (effect: object) => ({ contract: "vault", event: "E", args: {}, effects: [effect] });

const BETWEEN: Between[] = [
  {
    category: "price",
    subject: "drop",
    strike: () => sample(8, 994_999, 1_000_000),
    loose: { warning_drop_fraction: 0.01, critical_drop_fraction: 0.02 },
  },
  {
    category: "tvl",
    subject: "loss",
    strike: () => sample(8, 849_999, 1_000_000),
    loose: { change_fraction: 0.2 },
  },
  {
    category: "losses",
    subject: `${txHash(8)}:0`,
    strike: async () => {
      await state(8, { total_assets: 1_000_000 });
      await fact(8, "governance", governed({ action: "loss", new: "11" }));
    },
    loose: { loss_fraction: 0.001 },
    isOnce: true,
  },
  {
    category: "liquidity",
    subject: "withdrawable",
    strike: () => state(8, { total_assets: 1000, liquidity: liquid("19") }),
    loose: { warning_min_withdrawable_fraction: 0.01 },
  },
  {
    category: "flows",
    subject: `${txHash(8)}:deposit`,
    strike: () =>
      fact(8, "deposit", { assets: "100001", shares: "100001", sender: VAULT, owner: VAULT, to: VAULT }),
    loose: { single_fraction: 0.2 },
    isOnce: true,
  },
  {
    category: "governance",
    subject: `${txHash(8)}:0`,
    strike: () => fact(8, "governance", governed({ action: "owner_change", account: testAddress(7) })),
    loose: { is_enabled: false },
    isOnce: true,
  },
  {
    category: "allocation",
    subject: "cap:0xa",
    strike: () => state(8, { total_assets: 1000, allocations: [capped] }),
    tight: { cap_fraction: 0.9 },
    loose: { cap_fraction: 0.95 },
  },
];

describe.each(BETWEEN)("$category", ({ category, subject, strike, tight = {}, loose, isOnce }) => {
  const ofIt = async () => (await told()).filter((each) => each.includes(` ${category}/`));
  const notice = (what: string) => `alert.${what} ${category}/${subject}`;
  const rule = (of: object) => rules({ [category]: of });
  const restart = async () => {
    // The one before dies with the lease, which runs out.
    await world.database.owner.pool.query("update alert_lease set expires_at = now()");
    world.parts.holder = randomUUID();
  };

  it("is judged by the rule of now: a looser one ends it, and what happened is not told again under the old one", async () => {
    await rule(loose);
    await strike();
    expect(await ofIt()).toEqual([]);
    await rule(tight);
    expect(await ofIt()).toEqual([notice("firing")]);
    await rule(loose);
    expect(await ofIt()).toEqual([notice("resolved")]);
    await rule(tight);
    expect(await ofIt()).toEqual(isOnce ? [] : [notice("firing")]);
  });

  it("stands through a restart: what happened before it is told by who comes after, once, and taken back with its block", async () => {
    await rule(tight);
    expect(await ofIt()).toEqual([]);
    await strike();
    await restart();
    expect(await ofIt()).toEqual([notice("firing")]);
    await restart();
    expect(await ofIt()).toEqual([]);
    await reorganise(7);
    await restart();
    expect(await ofIt()).toHaveLength(1);
    expect(await world.alerts(`category = '${category}' and resolved_at is null`)).toEqual([]);
    await restart();
    expect(await ofIt()).toEqual([]);
  });
});
