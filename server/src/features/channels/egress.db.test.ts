// Where channels may not go, one by one: refused when the channel is made where the URL says it, and when it is called where a name hides it.
import type { LookupFunction } from "node:net";
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
} from "../../../test/channels.ts";
import { createEgress } from "../../platform/egress.ts";

/** What each name resolves to; the last list is the answer from then on. */
const NAMES: Record<string, string[][]> = {
  "loopback.example": [["127.0.0.1"]],
  "private.example": [["10.1.2.3"]],
  "metadata.example": [["169.254.169.254"]],
  "shared.example": [["100.64.0.1"]],
  "mapped.example": [["::ffff:127.0.0.1"]],
  "nat64.example": [["64:ff9b::a9fe:a9fe"]],
  "local6.example": [["fd00::1"]],
  "link6.example": [["fe80::1"]],
  "loopback6.example": [["::1"]],
  "one-of-several.example": [["93.184.216.34", "192.168.0.1"]],
  "none.example": [[]],
};
const lookups: string[] = [];

const lookup = ((
  hostname: string,
  _options: object,
  callback: (error: Error | null, found: object[]) => void,
) => {
  lookups.push(hostname);
  const answers = NAMES[hostname] ?? [[]];
  const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
  callback(
    null,
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
  );
}) as unknown as LookupFunction;

let ground: ChannelGround;

beforeAll(async () => {
  const egress = createEgress({ allowedNetworks: [], allowHttp: true, lookup });
  ground = await openChannelGround({ allowedNetworks: [], egress });
});
afterAll(() => ground.close());

const make = (config: object, provider = "slack") =>
  ground.ask("POST", CHANNELS, ANNE, { body: { provider, name: "x", config } });

test.each([
  "http://127.0.0.1/",
  "http://0x7f000001/",
  "http://2130706433/",
  "http://017700000001/",
  "http://127.1/",
  "http://0.0.0.0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "http://169.254.169.254/latest/meta-data",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://192.168.1.1/",
  "http://100.64.0.1/",
  "http://127.0.0.1./",
  "https://user:password@hooks.example/",
  "ftp://hooks.example/",
  "file:///etc/passwd",
])("%s is refused when the channel is made", async (url) => {
  expect((await make({ webhook_url: url })).status).toBe(400);
  const token = { bot_token: "123456:planted-bot-token", chat_id: "1" };
  expect((await make({ ...token, base_url: url }, "telegram")).status).toBe(400);
});

test.each(Object.keys(NAMES))(
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
  NAMES["rebinding.example"] = [["10.0.0.1"]];
  const { body } = await make({ webhook_url: "http://rebinding.example:9/hook-of-a-channel" });
  const before = lookups.length;
  for (let count = 0; count < 2; count += 1)
    expect((await ground.ask("POST", `${CHANNELS}/${body.id}/test`, ANNE)).body.error).toContain(
      "not a public address",
    );
  expect(lookups.slice(before)).toEqual(["rebinding.example", "rebinding.example"]);
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
