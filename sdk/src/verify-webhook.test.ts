import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { verifyWebhook, WebhookVerificationError } from "./verify-webhook.ts";

// Of the specification.
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const TIMESTAMP = 1_614_265_330;
const BODY = '{"test": 2432232314}';
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const headers = (signature = SIGNATURE, timestamp = String(TIMESTAMP)) => ({
  "webhook-id": ID,
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
});
const verify = (more: Partial<Parameters<typeof verifyWebhook>[0]> = {}) =>
  verifyWebhook({ body: BODY, headers: headers(), secret: SECRET, nowMs: TIMESTAMP * 1000, ...more });

describe("verifyWebhook", () => {
  it("takes the specification's example, as bytes and as text, with headers of every kind", async () => {
    const payload = { test: 2_432_232_314 };
    expect(await verify()).toEqual(payload);
    expect(await verify({ body: Buffer.from(BODY) })).toEqual(payload);
    expect(await verify({ headers: new Headers(headers()) })).toEqual(payload);
    const upper = Object.fromEntries(
      Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(await verify({ headers: upper })).toEqual(payload);
  });

  it("takes what the public library signs, whatever text it is", async () => {
    const body = JSON.stringify({
      event_id: "evt_1",
      data: { text: "été \u2028 🏦", amount: "9".repeat(78) },
    });
    const signature = new Webhook(SECRET).sign(ID, new Date(TIMESTAMP * 1000), body);
    expect(await verify({ body: Buffer.from(body), headers: headers(signature) })).toEqual(JSON.parse(body));
  });

  it("takes either signature and either secret while one rotates", async () => {
    const both = `v1,${Buffer.alloc(32).toString("base64")} v2,abc ${SIGNATURE}`;
    expect(await verify({ headers: headers(both) })).toBeTruthy();
    expect(await verify({ secret: [OTHER_SECRET, SECRET] })).toBeTruthy();
  });

  it.each([
    ["other bytes that mean the same", { body: '{"test":2432232314}' }],
    ["another secret", { secret: OTHER_SECRET }],
    ["another id", { headers: { ...headers(), "webhook-id": "msg_other" } }],
    ["a signature of another version", { headers: headers(SIGNATURE.replace("v1", "v2")) }],
    ["a signature that is none", { headers: headers("v1,…") }],
    ["a time that is none", { headers: headers(SIGNATURE, "soon") }],
    ["an old one", { nowMs: (TIMESTAMP + 301) * 1000 }],
    ["one from the future", { nowMs: (TIMESTAMP - 301) * 1000 }],
    ["no signature", { headers: { "webhook-id": ID, "webhook-timestamp": String(TIMESTAMP) } }],
    ["a header given twice", { headers: { ...headers(), "webhook-id": [ID, ID] } }],
  ])("refuses %s", async (_, more) => {
    await expect(verify(more)).rejects.toThrow(WebhookVerificationError);
  });

  it("takes old ones where told how old", async () => {
    expect(await verify({ nowMs: (TIMESTAMP + 3600) * 1000, toleranceSeconds: 3600 })).toBeTruthy();
  });

  it("says of a secret that is none that the caller is mistaken, not the webhook", async () => {
    await expect(verify({ secret: "whsec_short" })).rejects.toThrow(TypeError);
  });
});
