import { describe, expect, it } from "vitest";
import { createLogger, type LogLevel, redactUrl, withoutUrls } from "./log.ts";

function capture(level: LogLevel = "info") {
  const written: string[] = [];
  const log = createLogger({ level, destination: { write: (line) => void written.push(line) } });
  return { log, written, last: () => JSON.parse(written.at(-1) ?? "null") };
}

describe("the log", () => {
  it("is one JSON object a line, with the level in words and the time in ISO 8601", () => {
    const { log, written, last } = capture();
    log.info({ chain_id: 1 }, "a\nb");
    expect(written[0]?.trim().split("\n")).toHaveLength(1);
    expect(last()).toMatchObject({ level: "info", chain_id: 1, msg: "a\nb" });
    expect(last().time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it.each([
    [{ authorization: "Bearer s3cret" }],
    [{ headers: { Authorization: "Bearer s3cret" } }],
    [{ req: { headers: { authorization: "Bearer s3cret", cookie: "s3cret" } } }],
    [{ config: { channels: [{ webhook_url: "https://s3cret", bot_token: "s3cret" }] } }],
    [
      {
        privateKey: "s3cret",
        "api-key": "s3cret",
        apiKey: "s3cret",
        routing_key: "s3cret",
        password: "s3cret",
      },
    ],
    [{ err: new Error("connect to postgres://app:s3cret@db:5432/x failed") }],
    [{ err: new Error("HTTP request failed. URL: https://rpc.example/v2/s3cret?key=s3cret Details: 429") }],
    [
      {
        err: new Error("outer", {
          cause: new Error("https://hooks.example/s3cret", { cause: "wss://s3cret@x/s3cret" }),
        }),
      },
    ],
    [
      {
        err: Object.assign(new Error("duplicate key"), {
          detail: "Key (secret)=(s3cret)",
          parameters: ["s3cret"],
        }),
      },
    ],
    [{ err: new AggregateError([new Error("https://x.example/s3cret")], "all failed") }],
  ])("holds no secret: %j", (line) => {
    const { log, written } = capture();
    log.info(line, "said");
    log.child(line).info("said by a child");
    expect(written).toHaveLength(2);
    expect(written.join()).not.toContain("s3cret");
  });

  it("keeps what an error is: kind, message, code, stack, cause", () => {
    const { log, last } = capture();
    const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    log.error({ err: new TypeError("bad", { cause }) }, "failed");
    expect(last().err).toMatchObject({
      type: "TypeError",
      message: "bad",
      cause: { message: "refused", code: "ECONNREFUSED" },
    });
    expect(last().err.stack).toContain("log.test.ts");
  });

  it("leaves the object that was logged as it is", () => {
    const { log } = capture();
    const line = { token: "x", inner: { secret: "y" } };
    log.info(line);
    expect(line).toEqual({ token: "x", inner: { secret: "y" } });
  });
});

describe("a URL in the log", () => {
  it.each([
    ["https://user:pass@rpc.example:8545/v2/key?x=1#y", "https://rpc.example:8545/…"],
    ["https://rpc.example/", "https://rpc.example"],
    ["https://rpc.example?key=1", "https://rpc.example/…"],
    ["postgres://app:pw@db/vaultops", "postgres://db/…"],
    ["nonsense", "[not a URL]"],
  ])("%s is %s", (url, redacted) => expect(redactUrl(url)).toBe(redacted));

  it("is redacted wherever it stands in a text", () => {
    expect(withoutUrls('fetch("https://a.example/k"), then (wss://b.example/k).')).toBe(
      'fetch("https://a.example/…"), then (wss://b.example/…).',
    );
    expect(withoutUrls("no URL here")).toBe("no URL here");
  });
});
