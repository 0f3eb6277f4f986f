// 500 and 503: what a client, and what the log, is told of a fault.
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTestApp, openGuard, startTestApp } from "../../../test/app.ts";
import { capturedLog } from "../../../test/captured-log.ts";
import { Problem } from "../errors.ts";
import { echo, VAULT } from "./test-echo.ts";

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
    const { lines, log } = capturedLog();
    const logged = await buildTestApp({ features: [echo], log });
    await logged.inject({ url: "/api/v1/fails/bug", headers: { "x-request-id": "fault-2" } });
    await logged.close();
    const line = lines().find(({ msg }) => msg === "request failed");
    expect(line).toMatchObject({ level: "error", request_id: "fault-2", route: "/api/v1/fails/:how" });
    expect(line?.err.stack).toContain("echo.ts");
    expect(JSON.stringify(line)).not.toContain("hunter2");
  });
});

describe("a body that its client breaks off", () => {
  it("is no fault of the service: said once at level info, and nothing above", async () => {
    const { lines, log } = capturedLog();
    const { app: listening, url } = await startTestApp({ features: [echo], log });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const asked = once(listening.server, "request");
    socket.write(
      "POST /api/v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    await asked;
    socket.destroy();
    const said = () => lines().filter(({ msg }) => msg === "the client cut off its request body");
    await expect.poll(said).toHaveLength(1);
    expect(said()[0]).toMatchObject({ level: "info", route: "/api/v1/things" });
    expect(lines().filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
    await listening.close();
  });
});

describe("a refused write", () => {
  it("is logged with who and what", async () => {
    const { lines, log } = capturedLog();
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
