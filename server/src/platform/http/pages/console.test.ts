import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../../../service/app.ts";
import { systemClock } from "../../clock.ts";
import { silentLogger } from "../../log.ts";
import { readConsole } from "./console.ts";

const PAGE =
  '<!doctype html><title>console</title><script type="module" src="/assets/index-1a2b.js"></script>';
const SCRIPT = "export const vaults = [];".repeat(100);
const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let dir: string;
let app: FastifyInstance;

async function build(consoleDir: string, perIp = 600): Promise<FastifyInstance> {
  return buildApp({
    http: {
      publicUrl: "http://127.0.0.1:8080",
      corsOrigins: [],
      trustedProxies: [],
      rateLimits: { perWallet: 1000, perIp, challengesPerIp: 60, recordedPerWallet: 60 },
    },
    log: silentLogger(),
    clock: systemClock,
    features: [],
    guard: { authenticate() {}, authorise() {} },
    console: await readConsole(consoleDir, silentLogger()),
  });
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "vaultops-console-"));
  await mkdir(join(dir, "assets"));
  await writeFile(join(dir, "index.html"), PAGE);
  await writeFile(join(dir, "icon.svg"), "<svg/>");
  await writeFile(join(dir, "assets/index-1a2b.js"), SCRIPT);
  await writeFile(join(dir, ".stamp"), "secret");
  app = await build(dir);
});

afterAll(async () => {
  await app.close();
  await rm(dir, { recursive: true, force: true });
});

describe("the console", () => {
  it("is served at / and at every address within it, asked for anew each time", async () => {
    for (const url of ["/", "/vaults/1/0x00", "/audit?action_type=pps_update", "/no/such/page"]) {
      const { statusCode, headers, body } = await app.inject({ url, headers: BROWSER });
      expect([statusCode, headers["content-type"], body]).toEqual([200, "text/html; charset=utf-8", PAGE]);
      expect(headers["cache-control"]).toBe("private, no-cache");
      expect(headers.etag).toBeTruthy();
    }
  });

  it("allows scripts from this service's files alone, nothing inline, no other host, and no frame around it", async () => {
    for (const url of ["/", "/audit"]) {
      const policy = String((await app.inject({ url, headers: BROWSER })).headers["content-security-policy"]);
      const rules = Object.fromEntries(
        policy.split("; ").map((rule) => [rule.split(" ")[0], rule.split(" ").slice(1)]),
      );
      expect(rules["default-src"]).toEqual(["'none'"]);
      expect(rules["script-src"]).toEqual(["'self'"]);
      expect(rules["connect-src"]).toEqual(["'self'"]);
      expect(rules["img-src"]).toEqual(["'self'", "data:"]);
      expect(rules["frame-ancestors"]).toEqual(["'none'"]);
    }
  });

  it("has its hashed files cached for good, packed where the client reads gzip, and 304 where it has them", async () => {
    const plain = await app.inject({ url: "/assets/index-1a2b.js" });
    expect([plain.statusCode, plain.body]).toEqual([200, SCRIPT]);
    expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(plain.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    const packed = await app.inject({
      url: "/assets/index-1a2b.js",
      headers: { "accept-encoding": "gzip, br" },
    });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(packed.headers.vary).toContain("Accept-Encoding");
    expect(gunzipSync(packed.rawPayload).toString()).toBe(SCRIPT);
    const again = await app.inject({
      url: "/assets/index-1a2b.js",
      headers: { "if-none-match": String(plain.headers.etag) },
    });
    expect(again.statusCode).toBe(304);
  });

  it("leaves the API's unknown paths, and whoever asks for no page, to problem documents", async () => {
    for (const [url, headers] of [
      ["/api/v1/nope", BROWSER],
      ["/api", BROWSER],
      ["/identity/nope", BROWSER],
      ["/audit", { accept: "*/*" }],
      ["/audit", { accept: "application/json" }],
    ] as const) {
      const answer = await app.inject({ url, headers });
      expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
    }
    expect((await app.inject({ method: "POST", url: "/audit", headers: BROWSER })).statusCode).toBe(404);
  });

  it("serves nothing but its files: neither what lies beside them nor what is hidden", async () => {
    for (const url of [
      "/assets/nope.js",
      "/assets/../.stamp",
      "/assets/%2e%2e/.stamp",
      "/assets/..%2f..%2fetc%2fpasswd",
      "/.stamp",
    ])
      expect((await app.inject({ url })).statusCode, url).toBe(404);
  });

  it("costs no quota: an office behind one address can open it as often as it likes", async () => {
    const narrow = await build(dir, 1);
    for (let time = 0; time < 5; time++) {
      expect((await narrow.inject({ url: "/audit", headers: BROWSER })).statusCode).toBe(200);
      expect((await narrow.inject({ url: "/assets/index-1a2b.js" })).statusCode).toBe(200);
    }
    await narrow.close();
  });

  it("is left out, and the service runs, where it is not built", async () => {
    const bare = await build(join(dir, "nowhere"));
    expect((await bare.inject({ url: "/", headers: BROWSER })).json().code).toBe("not_found");
    await bare.close();
  });
});
