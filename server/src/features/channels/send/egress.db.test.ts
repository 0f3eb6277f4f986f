// Where channels may not go, one by one: refused when the channel is made where the URL says it, and when it is called where a name hides it.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ANNE,
  alertEvent,
  boundTo,
  CHANNELS,
  type ChannelGround,
  openChannelGround,
  testAlert,
  VAULT,
} from "../../../../test/channels.ts";
import {
  FORBIDDEN_URLS,
  HIDING_NAMES,
  REBINDING_NAME,
  startFakeResolver,
} from "../../../../test/forbidden-places.ts";
import { createEgress } from "../../../platform/egress/egress.ts";

const { lookup, lookups } = startFakeResolver();

let ground: ChannelGround;

beforeAll(async () => {
  const egress = createEgress({ allowedNetworks: [], allowHttp: true, lookup });
  ground = await openChannelGround({ allowedNetworks: [], egress });
});
afterAll(() => ground.close());

const make = (config: object, provider = "slack") =>
  ground.ask("POST", CHANNELS, ANNE, { body: { provider, name: "x", config } });

test.each(FORBIDDEN_URLS)("%s is refused when the channel is made", async (url) => {
  expect((await make({ webhook_url: url })).status).toBe(400);
  const token = { bot_token: "123456:planted-bot-token", chat_id: "1" };
  expect((await make({ ...token, base_url: url }, "telegram")).status).toBe(400);
});

test.each(Object.keys(HIDING_NAMES))(
  "%s is refused when the channel is tested and when an alert is sent",
  async (name) => {
    const made = await make({ webhook_url: `http://${name}:9/hook-of-a-channel` });
    expect(made.status).toBe(201);
    const { id } = made.body;
    const tested = (await ground.ask("POST", `${CHANNELS}/${id}/test`, ANNE)).body;
    expect(tested).toMatchObject({ status: "failed", status_code: null, response_excerpt: null });
    expect(tested.error).toContain("not a public address");
    await ground.ask("POST", `${boundTo(VAULT)}/${id}`, ANNE);
    await ground.emit(alertEvent("alert.firing", testAlert()));
    await ground.deliver();
    const { deliveries } = (await ground.ask("GET", `${CHANNELS}/${id}/deliveries`, ANNE)).body;
    expect(deliveries[0]).toMatchObject({ event_type: "alert.firing", status: "dead" });
    await ground.ask("DELETE", `${CHANNELS}/${id}`, ANNE);
  },
);

test("a name is judged at every connection: what was public when the channel was made may be private when it is called", async () => {
  const { body } = await make({ webhook_url: `http://${REBINDING_NAME}:9/hook-of-a-channel` });
  const before = lookups.length;
  for (let count = 0; count < 2; count += 1)
    expect((await ground.ask("POST", `${CHANNELS}/${body.id}/test`, ANNE)).body.error).toContain(
      "not a public address",
    );
  expect(lookups.slice(before)).toEqual([REBINDING_NAME, REBINDING_NAME]);
});

test("a redirect is not followed, wherever it leads, and says so", async () => {
  const open = await openChannelGround();
  try {
    const id = await open.channel("slack");
    const location = `${open.receiver.url}/slack/elsewhere`;
    for (const status of [301, 302, 307, 308]) {
      open.receiver.fail("slack", { status, body: "", headers: { location } });
      const tested = (await open.ask("POST", `${CHANNELS}/${id}/test`, ANNE)).body;
      expect(tested).toMatchObject({ status: "failed", status_code: status });
      expect(tested.error).toContain("redirects are not followed");
    }
    expect(open.receiver.received.map(({ path }) => path.includes("elsewhere"))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  } finally {
    await open.close();
  }
});

test("plain http is refused where the configuration does not allow it", async () => {
  const strict = await openChannelGround({ allowHttp: false });
  try {
    const config = { webhook_url: "http://hooks.example/hook-of-a-channel" };
    const made = await strict.ask("POST", CHANNELS, ANNE, { body: { provider: "slack", name: "x", config } });
    expect([made.status, made.body.errors[0].path]).toEqual([400, "/config/webhook_url"]);
  } finally {
    await strict.close();
  }
});
