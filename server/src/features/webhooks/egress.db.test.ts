// Where webhooks may not go, one by one: refused when the endpoint is made or moved where the URL says it, and when it is called, for an
// event or a test, where a name hides it.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  FORBIDDEN_URLS,
  HIDING_NAMES,
  REBINDING_NAME,
  startFakeResolver,
} from "../../../test/forbidden-places.ts";
import { createWebhookWorld, paused, type WebhookWorld } from "../../../test/webhooks.ts";

const WEBHOOKS = "/api/v1/webhooks";
const resolver = startFakeResolver();
let world: WebhookWorld;

beforeAll(async () => {
  world = await createWebhookWorld({ egress: { allowedNetworks: [], lookup: resolver.lookup } });
});
afterAll(() => world.close());

test.each(FORBIDDEN_URLS)(
  "%s is refused when an endpoint is made and when one is moved there",
  async (url) => {
    expect((await world.ask("POST", WEBHOOKS, undefined, { body: { url } })).status).toBe(400);
    const { id } = await world.create({ url: "https://hooks.example/in" });
    const moved = await world.ask("PATCH", `${WEBHOOKS}/${id}`, undefined, { body: { url } });
    expect([moved.status, moved.body.code]).toEqual([400, "invalid_request"]);
    await world.ask("DELETE", `${WEBHOOKS}/${id}`);
  },
);

test.each([...Object.keys(HIDING_NAMES), REBINDING_NAME])(
  "%s is refused when the endpoint is tested and when an event is sent",
  async (name) => {
    const { id } = await world.create({ url: `http://${name}:9/path-of-an-endpoint` });
    const before = resolver.lookups.length;
    const tested = (await world.ask("POST", `${WEBHOOKS}/${id}/test`)).body;
    expect(JSON.stringify(tested)).toContain("not a public address");
    await world.emit(paused());
    await world.deliver();
    const { deliveries } = (await world.ask("GET", `${WEBHOOKS}/${id}/deliveries`)).body;
    const sent = deliveries.find(({ event_type: type }: { event_type: string }) => type !== "webhook.test");
    expect(sent.attempts[0]).toMatchObject({ status_code: null, response_excerpt: null });
    expect(sent.attempts[0].error).toContain("not a public address");
    expect(JSON.stringify(deliveries.map(({ attempts }: { attempts: unknown }) => attempts))).not.toContain(
      "path-of-an-endpoint",
    );
    // Asked again for each connection: nothing is remembered of what a name was.
    expect(resolver.lookups.slice(before)).toEqual([name, name]);
    await world.ask("DELETE", `${WEBHOOKS}/${id}`);
  },
);
