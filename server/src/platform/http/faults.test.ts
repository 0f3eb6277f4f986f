// 500 and 503: what a client, and what the log, is told of a fault.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTestApp, openGuard } from "../../../test/app.ts";
import { echo, VAULT } from "../../../test/echo.ts";
import { Problem } from "../errors.ts";

let app: Awaited<ReturnType<typeof buildTestApp>>;
beforeAll(async () => {
  app = await buildTestApp({ features: [echo] });
});
afterAll(() => app.close());

describe("500", () => {
  it.each(["bug", "text", "file", "constraint", "syntax"])(
    "tells nothing of a fault (%s) but the request id",
    async (how) => {
      const answer = await app.inject({
        url: `/api/v1/fails/${how}`,
        headers: { "x-request-id": "fault-1" },
      });
      expect(answer.json()).toEqual({
        type: "http://127.0.0.1:8080/docs/errors#internal_error",
        title: "Internal error",
        status: 500,
        detail: expect.any(String),
        code: "internal_error",
        request_id: "fault-1",
      });
      expect(answer.body).not.toMatch(/secret|hunter2|TypeError|\.ts/);
    },
  );

  it("logs the fault with its stack under the request id, and not what is secret in it", async () => {
    const { lines, log } = await capturedLog();
    const logged = await buildTestApp({ features: [echo], log });
    await logged.inject({ url: "/api/v1/fails/bug", headers: { "x-request-id": "fault-2" } });
    await logged.close();
    const line = lines().find(({ msg }) => msg === "request failed");
    expect(line).toMatchObject({ level: "error", request_id: "fault-2", route: "/api/v1/fails/:how" });
    expect(line?.err.stack).toContain("echo.ts");
    expect(JSON.stringify(line)).not.toContain("hunter2");
  });
});

describe("a refused write", () => {
  it("is logged with who and what", async () => {
    const { lines, log } = await capturedLog();
    const guard = {
      ...openGuard(),
      authorise() {
        throw new Problem("insufficient_scope", "No.");
      },
    };
    const logged = await buildTestApp({ features: [echo], log, guard });
    const url = "/api/v1/things";
    await logged.inject({
      method: "POST",
      url,
      payload: { address: VAULT },
      headers: { authorization: "Bearer s3cret" },
    });
    await logged.close();
    expect(lines().find(({ msg }) => msg === "request")).toMatchObject({
      level: "info",
      method: "POST",
      route: url,
      wallet: "0x000000000000000000000000000000000000dEaD",
      status: 403,
      code: "insufficient_scope",
    });
    expect(JSON.stringify(lines())).not.toContain("s3cret");
  });
});

describe("503", () => {
  it.each(["refused", "shutdown", "starting", "full", "cut", "exhausted", "socket"])(
    "is answered with Retry-After when the database is out (%s)",
    async (how) => {
      const answer = await app.inject(`/api/v1/fails/${how}`);
      expect(answer.json()).toMatchObject({ status: 503, code: "service_unavailable" });
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    },
  );
});

async function capturedLog() {
  const { createLogger } = await import("../log.ts");
  const written: string[] = [];
  const log = createLogger({ level: "debug", destination: { write: (line) => void written.push(line) } });
  return { log, lines: () => written.map((line) => JSON.parse(line)) };
}
