// `vaultops listen` against the whole app: an endpoint for as long as it listens, deliveries verified, printed and handed on.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startReceiver, status } from "../../test/receiver.ts";
import { createWebhookWorld, MANAGER, paused, type WebhookWorld } from "../../test/webhooks.ts";
import { listen } from "./listen.ts";

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
});
afterAll(() => world.close());

test("hands a delivery on with the same bytes and headers, gives the answer back, and refuses what is not signed", async () => {
  const program = await startReceiver();
  program.answer = status(202);
  const printed: string[] = [];
  const stop = new AbortController();
  const listening = Promise.withResolvers<string>();
  let secret: string | null = null;
  const done = listen(
    {
      port: 0,
      forwardTo: program.url,
      secret: () => secret,
      print: (line) => void printed.push(line),
      signal: stop.signal,
    },
    listening.resolve,
  );
  const url = await listening.promise;
  const endpoint = await world.create({ url });
  secret = endpoint.secret;
  await world.emit(paused(7));
  await world.deliver();
  const { deliveries } = (await world.ask("GET", `/api/v1/webhooks/${endpoint.id}/deliveries`)).body;
  expect(deliveries[0].attempts).toMatchObject([{ status_code: 202 }]);
  expect(program.received).toHaveLength(1);
  expect(program.received[0]?.headers["webhook-id"]).toBe(deliveries[0].event_id);
  expect(JSON.parse(program.received[0]?.body.toString() as string).data.block_number).toBe(7);
  expect(printed[0]).toContain(`${deliveries[0].event_id} (verified) {"event_id"`);

  const forged = await fetch(url, { method: "POST", body: "{}", headers: { "webhook-id": "evt_forged" } });
  expect(forged.status).toBe(400);
  expect(program.received).toHaveLength(1);

  await program.close();
  await world.emit(paused(8));
  await world.deliver();
  const after = (await world.ask("GET", `/api/v1/webhooks/${endpoint.id}/deliveries`)).body.deliveries;
  expect(after[0].attempts).toMatchObject([{ status_code: 502 }]);
  stop.abort();
  await done;
  expect(endpoint.created_by).toBe(MANAGER);
});
