// Beside a process of a newer release: what only that one knows is neither resolved nor taken away here.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AlertWorld, CHAIN, openAlertWorld, VAULT } from "../../../../test/alerts.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
});
afterEach(() => world.drop());

async function openAlert(category: string, subject: string, area: string): Promise<void> {
  await world.db.pool.query(
    `insert into alerts (id, chain_id, vault_address, category, subject, area, severity, title, message, next_step, details, content_hash,
       conditions, is_unconfirmed, started_at, last_seen_at)
     values (gen_random_uuid(), $1, $2, $3, $4, $5, 'critical', '', '', '', '{}', '', '{}', false, now(), now())`,
    [CHAIN, VAULT, category, subject, area],
  );
}

it("alerts of categories and areas of another release stay as they are", async () => {
  await openAlert("category_of_tomorrow", "a", `chain:${CHAIN}`);
  await openAlert("category_of_tomorrow", "b", "timelocks");
  await openAlert("execution", "c", "engine of tomorrow");
  for (const area of [{ chainId: CHAIN }, "engine", "system"] as const) await world.evaluate(area);
  expect(await world.notices()).toEqual([]);
  expect(await world.alerts("resolved_at is null")).toHaveLength(3);
});
