// What each provider's answers mean: taken, to be sent again and when, never to be taken, or never to be called again.
import { describe, expect, test } from "vitest";
import type { Verdict } from "./provider.ts";
import type { ProviderName } from "./registry.ts";
import { PROVIDERS } from "./registry.ts";

function judge(
  name: ProviderName,
  status: number,
  body: unknown = "",
  headers: Record<string, string> = {},
): Verdict {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return PROVIDERS[name].judge({ status, body: text, headers });
}

const HTTP_PROVIDERS = (Object.keys(PROVIDERS) as ProviderName[]).filter((name) => name !== "email");

describe.each(HTTP_PROVIDERS)("%s", (name) => {
  test.each([408, 425, 429, 500, 502, 503, 504, 599])("%d is sent again", (status) => {
    expect(judge(name, status).kind).toBe("retry");
  });

  test("waits as long as Retry-After says, in seconds or until a date", () => {
    expect(judge(name, 429, "", { "retry-after": "30" })).toMatchObject({ kind: "retry", afterMs: 30_000 });
    if (name === "discord") return;
    const dates = { date: "Sat, 09 May 2026 10:00:00 GMT", "retry-after": "Sat, 09 May 2026 10:02:00 GMT" };
    expect(judge(name, 503, "", dates)).toMatchObject({ kind: "retry", afterMs: 120_000 });
    for (const nonsense of ["soon", "-1", ""])
      expect(judge(name, 429, "", { "retry-after": nonsense })).not.toHaveProperty("afterMs");
  });

  test("410 is never called again", () => expect(judge(name, 410).kind).toBe("gone"));

  test.each([400, 401, 403, 413, 422, 301, 302, 307])(
    "%d is final for a provider, and not for one's own endpoint",
    (status) => {
      expect(judge(name, status).kind).toBe(name === "webhook" ? "retry" : "dead");
    },
  );

  test("404 is never called again, save one's own endpoint", () => {
    expect(judge(name, 404, "no_service").kind).toBe(name === "webhook" ? "retry" : "gone");
  });

  test("a reason says the status and nothing of the answer", () => {
    for (const status of [400, 404, 429, 500])
      expect(JSON.stringify(judge(name, status, "planted-secret"))).not.toContain("planted");
  });
});

test("slack has taken what it answers ok to", () => {
  expect(judge("slack", 200, "ok").kind).toBe("delivered");
  expect(judge("slack", 200, "<html>sign in</html>").kind).toBe("retry");
});

test("discord says in the body how long to wait, in fractions of a second, and before it refuses that it will", () => {
  expect(judge("discord", 429, { retry_after: 0.65 }, { "retry-after": "1" })).toMatchObject({
    afterMs: 650,
  });
  expect(judge("discord", 200, { id: "1" })).toEqual({ kind: "delivered" });
  const exhausted = { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "1.2" };
  expect(judge("discord", 200, { id: "1" }, exhausted)).toEqual({ kind: "delivered", pauseMs: 1200 });
});

test("telegram says how long to wait in its parameters", () => {
  const body = { ok: false, error_code: 429, parameters: { retry_after: 7 } };
  expect(judge("telegram", 429, body)).toMatchObject({ kind: "retry", afterMs: 7000 });
});

test("a telegram chat that has become a supergroup goes on under its new id", () => {
  const body = { ok: false, error_code: 400, parameters: { migrate_to_chat_id: -1001234567890123 } };
  expect(judge("telegram", 400, body)).toMatchObject({
    kind: "retry",
    afterMs: 0,
    config: { chat_id: "-1001234567890123" },
  });
});

test("telegram has taken what it answers ok to", () => {
  expect(judge("telegram", 200, { ok: true }).kind).toBe("delivered");
  expect(judge("telegram", 200, "welcome to the hotel's wifi").kind).toBe("retry");
});

test("pagerduty and opsgenie have taken what they answer 202 to, and nothing else", () => {
  for (const name of ["pagerduty", "opsgenie"] as const) {
    expect(judge(name, 202).kind).toBe("delivered");
    expect(judge(name, 200).kind).toBe("retry");
  }
});

test("teams has taken what it answers 202 or 200 to; one's own endpoint any 2xx", () => {
  expect(judge("teams", 202).kind).toBe("delivered");
  expect(judge("teams", 200).kind).toBe("delivered");
  for (const status of [200, 201, 202, 204]) expect(judge("webhook", status).kind).toBe("delivered");
});
