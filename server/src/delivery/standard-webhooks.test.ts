import { expect, test } from "vitest";
import { isWebhookSecret, newWebhookSecret, signedHeaders } from "./standard-webhooks.ts";

// The published vector.
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const VECTOR = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

test("a signature is the published vector's, and the bytes of the body count", () => {
  expect(signedHeaders({ ...VECTOR, secrets: [SECRET] })).toEqual({
    "webhook-id": VECTOR.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": SIGNATURE,
  });
  const { "webhook-signature": other } = signedHeaders({
    ...VECTOR,
    body: '{"test":2432232314}',
    secrets: [SECRET],
  });
  expect(other).not.toBe(SIGNATURE);
});

test("while a secret rotates there is a signature by each, the current one first", () => {
  const fresh = newWebhookSecret();
  const { "webhook-signature": both } = signedHeaders({ ...VECTOR, secrets: [fresh, SECRET] });
  const { "webhook-signature": one } = signedHeaders({ ...VECTOR, secrets: [fresh] });
  expect(both).toBe(`${one} ${SIGNATURE}`);
});

test("a secret is whsec_ and 24 to 64 bytes in base64", () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString("base64")}`;
  for (const text of [SECRET, newWebhookSecret(), of(24), of(64)]) expect(isWebhookSecret(text)).toBe(true);
  for (const text of ["", "whsec_", SECRET.slice(6), of(23), of(65), `${SECRET}!`, "whsec_é"])
    expect(isWebhookSecret(text)).toBe(false);
});
