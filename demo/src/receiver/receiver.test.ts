import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChannelConfig } from "../../../server/src/features/channels/providers/provider.ts";
import { PROVIDERS } from "../../../server/src/features/channels/providers/registry.ts";
import { incident, noticeOf } from "../../../server/test/notices.ts";
import { type Message, type Receiver, startReceiver } from "./receiver.ts";

let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver(0);
});
afterAll(() => receiver.stop());

const HTTP = ["slack", "discord", "telegram", "pagerduty", "opsgenie", "teams", "webhook"] as const;
const CONTEXT = {
  alertsUrl: "http://127.0.0.1/alerts",
  nowSeconds: 1_778_000_000,
  messageId: "0196b0a5-9d00-7000-8000-000000000009",
  from: "a@b.example",
};

async function send(provider: (typeof HTTP)[number], notices = [noticeOf()], config?: ChannelConfig) {
  const message = PROVIDERS[provider].build(notices, config ?? receiver.configOf(provider, "demo"), CONTEXT);
  if (message.kind !== "http") throw new Error("this is sent over HTTP");
  return fetch(message.url, { method: "POST", headers: message.headers, body: message.body });
}

test.each(HTTP)(
  "what a channel of %s sends is taken and can be read on the page and as JSON",
  async (provider) => {
    expect((await send(provider)).ok).toBe(true);
    const { messages } = (await (await fetch(`${receiver.url}/messages`)).json()) as { messages: object[] };
    expect(messages[0]).toMatchObject({ provider, channel: "demo" });
    const [{ title, lines, signature }] = receiver.messages() as [Message];
    expect([title, ...lines].join("\n")).toContain("Price per share is stale");
    expect(lines.join("\n")).not.toMatch(/<[a-z]|&#\d|\\[.-]/);
    expect(signature).toBe(provider === "webhook" ? "valid" : null);
    const page = await fetch(receiver.url);
    expect(page.headers.get("content-type")).toContain("text/html");
  },
);

test("an incident can be read as well", async () => {
  for (const provider of HTTP.filter((name) => PROVIDERS[name].isGrouping)) {
    expect((await send(provider, incident(40))).ok).toBe(true);
    const [message] = receiver.messages();
    expect(message?.title).toContain("40 alerts");
    expect(message?.lines.join("\n")).toContain("Vault 1 since");
  }
});

test("a wrong signature is shown as one", async () => {
  const config = {
    ...receiver.configOf("webhook", "demo"),
    secret: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  };
  expect((await send("webhook", [noticeOf()], config)).status).toBe(401);
  expect(receiver.messages()[0]).toMatchObject({ status: 401, signature: "wrong" });
});
