// The monitors of what a chain's contracts answer, over rows as ingestion leaves them.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AlertWorld, addPause, endPause, NOW, openAlertWorld, VAULT } from "../../../test/alerts.ts";
import { testAddress } from "../../../test/chain-rows.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
});
afterEach(() => world.drop());

describe("emergency pause", () => {
  it("is told at the head, unconfirmed, with its vault, its transaction and what to do; unpausing resolves it", async () => {
    const { db } = world;
    await addPause(db, { block: 10 });
    await world.evaluate();
    const [event] = await world.events();
    expect(event).toMatchObject({
      type: "alert.firing",
      vault_address: VAULT,
      data: {
        category: "emergency_pause",
        severity: "critical",
        status: "firing",
        vault_name: "A vault",
        title: "Vault paused",
        message: expect.stringContaining("has been paused since 2026-05-05 16:55:20 UTC"),
        details: { by: testAddress(9) },
        is_unconfirmed: true,
        transaction_url: expect.stringMatching(/^https:\/\/explorer\.example\/tx\/0x0+a$/),
        console_url: expect.stringMatching(/^https:\/\/vaultops\.example\/alerts\/[0-9a-f-]{36}$/),
        started_at: new Date(NOW).toISOString().replace("Z", "000Z"),
        resolved_at: null,
        last_notice: "opened",
      },
    });
    expect(await world.evaluate()).toMatchObject({ transitions: 0 });
  });
});
void endPause;
