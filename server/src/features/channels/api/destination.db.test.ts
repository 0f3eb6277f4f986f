// Who may change a channel may not thereby learn its secrets: they go nowhere else on the word of one who does not have them.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ANNE,
  BEN,
  boundTo,
  CHANNELS,
  type ChannelGround,
  openChannelGround,
  VAULT,
} from "../../../../test/channels.ts";

let ground: ChannelGround;

beforeAll(async () => {
  ground = await openChannelGround();
});
afterAll(() => ground.close());

test.each(["telegram", "pagerduty", "opsgenie"] as const)(
  "400 secret_required: a co-manager who turns a %s channel to a host of his own draws out no secret",
  async (provider) => {
    const id = await ground.channel(provider, { name: "first" });
    const { config } = (await ground.ask("GET", `${CHANNELS}/${id}`, BEN)).body;
    const before = (await ground.entries()).length;
    const elsewhere = ground.receiver.configOf(provider, "elsewhere").base_url as string;
    for (const change of [
      { base_url: elsewhere },
      { ...config, base_url: elsewhere },
      { base_url: null },
      ...(provider === "telegram" ? [{ chat_id: "@elsewhere" }] : [{ region: "eu" }]),
    ]) {
      const { status, body } = await ground.ask("PATCH", `${CHANNELS}/${id}`, BEN, {
        body: { config: change },
      });
      expect([status, body.code]).toEqual([400, "secret_required"]);
      const [secret] = body.errors.map(({ path }: { path: string }) => path.slice("/config/".length));
      expect(config[secret]).toMatch(/^••••/);
    }
    await ground.ask("POST", `${CHANNELS}/${id}/test`, BEN);
    expect(
      ground.receiver.received.map(({ path }) => path).filter((path) => path.includes("elsewhere")),
    ).toEqual([]);
    expect((await ground.ask("GET", `${CHANNELS}/${id}`, BEN)).body.config).toEqual(config);
    expect(await ground.entries()).toHaveLength(before);

    const whole = ground.receiver.configOf(provider, "elsewhere");
    const moved = await ground.ask("PATCH", `${CHANNELS}/${id}`, BEN, { body: { config: whole } });
    expect([moved.status, moved.body.config.base_url]).toEqual([200, elsewhere]);
  },
);

test("the secret that signs a webhook channel's messages need not be sent again with another URL", async () => {
  const id = await ground.channel("webhook", { name: "signed" });
  const { url } = ground.receiver.configOf("webhook", "moved");
  const moved = await ground.ask("PATCH", `${CHANNELS}/${id}`, BEN, { body: { config: { url } } });
  expect(moved.status).toBe(200);
  const sent = await ground.ask("POST", `${CHANNELS}/${id}/test`, ANNE);
  expect(sent.body.status).toBe("delivered");
  await ground.ask("DELETE", `${boundTo(VAULT)}/${id}`, ANNE);
});
