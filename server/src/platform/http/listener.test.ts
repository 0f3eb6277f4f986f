// What only a real connection shows: broken and slow clients, bodies that are cut off, how connections end.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp } from "../../../test/app.ts";
import { polled } from "./etag.ts";
import { UNREAD_TIMEOUT_MS } from "./head.ts";
import { AddressParam, strictBody } from "./schemas.ts";

/** More than any system keeps for a client that does not read. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, "x");

let app: Awaited<ReturnType<typeof startTestApp>>["app"];
let port: number;
let hold: PromiseWithResolvers<void>;

beforeAll(async () => {
  const started = await startTestApp({
    features: [
      {
        name: "test",
        routes(instance) {
          instance.get("/held", { config: { permission: "public" } }, async () => {
            await hold.promise;
            return { held: true };
          });
          instance.get("/ready", { config: { permission: "public" } }, (request, reply) =>
            polled(request, reply, LARGE),
          );
          instance.get("/sent", { config: { permission: "public" } }, async () => LARGE.toString());
          instance.post(
            "/body",
            { schema: { body: strictBody({ address: AddressParam }) }, config: { permission: "public" } },
            async () => ({}),
          );
        },
      },
    ],
  });
  app = started.app;
  port = Number(new URL(started.url).port);
});
afterAll(() => app.close());

/** Sends bytes over a new connection and returns all that comes back until it closes. */
async function exchange(send: string | Buffer, options: { end?: boolean } = {}): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(send);
  if (options.end === true) socket.end();
  return received(socket);
}

async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => undefined);
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

function problemIn(answer: string): Record<string, unknown> {
  expect(answer).toMatch(/content-type: application\/problem\+json/i);
  const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  const problem = JSON.parse(body);
  expect(answer.toLowerCase()).toContain(`x-request-id: ${problem.request_id}`);
  return problem;
}

describe("400", () => {
  it("is a problem document for a request of HTTP/1.1 without a Host; one of HTTP/1.0 needs none", async () => {
    const answer = await exchange("GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(problemIn(answer)).toMatchObject({ status: 400, code: "invalid_request" });
    expect(await exchange("GET /livez HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    "nonsense\r\n\r\n",
    "GET /livez HTTP/1.1\r\nbad header\r\n\r\n",
    "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
  ])("is a problem document for what is no HTTP: %j", async (bytes) => {
    const answer = await exchange(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(problemIn(answer)).toMatchObject({ status: 400, code: "invalid_request" });
  });

  it("is answered to two different lengths of one body (request smuggling)", async () => {
    const answer = await exchange(
      "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe("413", () => {
  it("is answered from the length alone, without waiting for the body", async () => {
    const answer = await exchange(
      "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n",
      { end: true },
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(problemIn(answer)).toMatchObject({ code: "body_too_large" });
  });

  it("is answered to a body without a length once it is too long, and the connection ends", async () => {
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    const socket = connect(port, "127.0.0.1");
    const answer = received(socket);
    socket.write(
      "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    for (let i = 0; i < 20; i++) socket.write(chunk);
    expect(await answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  });
});

describe("405", () => {
  it("is answered to a client that takes the service for a proxy", async () => {
    const answer = await exchange("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 405 [\s\S]*\r\nallow: GET, /i);
    expect(problemIn(answer)).toMatchObject({ status: 405, code: "method_not_allowed" });
  });
});

describe("431", () => {
  it("is answered to headers of more than 64 KiB", async () => {
    const answer = await exchange(
      `GET /livez HTTP/1.1\r\nHost: a\r\nX-Filler: ${"x".repeat(70_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(problemIn(answer)).toMatchObject({ status: 431, code: "headers_too_large" });
  });
});

describe("408", () => {
  it("ends a connection whose headers trickle in", async () => {
    const own = await startTestApp({ features: [] });
    expect(own.app.server.headersTimeout).toBe(15_000);
    own.app.server.headersTimeout = 2_000;
    const socket = connect(Number(new URL(own.url).port), "127.0.0.1");
    const answer = received(socket);
    socket.write("GET /livez HTTP/1.1\r\nHost: a\r\n");
    const trickle = setInterval(() => socket.writable && socket.write("X-Slow: 1\r\n"), 100);
    const text = await answer;
    clearInterval(trickle);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(problemIn(text)).toMatchObject({ status: 408, code: "request_timeout" });
    await own.app.close();
  });
});

describe("connections", () => {
  it("serve several requests one after the other", async () => {
    const answer = await exchange(
      "GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /nothing HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => match[1])).toEqual([
      "200",
      "404",
      "200",
    ]);
  });

  it("that a client drops in mid-request leave nothing behind and hurt nobody", async () => {
    hold = Promise.withResolvers();
    for (let i = 0; i < 20; i++) {
      const socket = connect(port, "127.0.0.1");
      socket.write("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
      const body = connect(port, "127.0.0.1");
      body.write(
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
      );
      await sleep(5);
      socket.destroy();
      body.destroy();
    }
    hold.resolve();
    expect(await exchange("GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    const open = () =>
      new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
    await expect.poll(open).toBe(0);
  });

  it.each(["/ready", "/sent"])("whose client does not read %s are not kept for ever", async (path) => {
    const accepted = once(app.server, "connection") as Promise<[Socket]>;
    const client = connect(port, "127.0.0.1").pause();
    client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [connection] = await accepted;
    await expect.poll(() => connection.timeout).toBe(UNREAD_TIMEOUT_MS);
    connection.emit("timeout");
    await expect.poll(() => connection.destroyed).toBe(true);
    client.destroy();
  });

  it("finish the request in flight when the listener closes, and take no more", async () => {
    hold = Promise.withResolvers();
    const asked = Promise.withResolvers<void>();
    const other = await startTestApp({
      features: [
        {
          name: "held",
          routes: (instance) =>
            instance.get("/held", { config: { permission: "public" } }, async () => {
              asked.resolve();
              await hold.promise;
              return { held: true };
            }),
        },
      ],
    });
    const accepted = once(other.app.server, "connection") as Promise<[Socket]>;
    const socket = connect(Number(new URL(other.url).port), "127.0.0.1");
    const inFlight = received(socket);
    const [first, second] = ["/held", "/livez"].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    socket.write(first as string);
    await asked.promise;
    const closing = other.app.close();
    // One more over the connection that is open: it is answered too, and told that the connection ends.
    socket.write(second as string);
    const [connection] = await accepted;
    await expect.poll(() => connection.bytesRead).toBe(`${first}${second}`.length);
    hold.resolve();
    const answer = await inFlight;
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"held":true\}HTTP\/1\.1 200 [\s\S]*connection: close/i);
    await closing;
    await expect(fetch(`${other.url}/livez`)).rejects.toThrow();
  });
});

describe("an expectation that is not known", () => {
  it("is passed over, and the request answered as any other", async () => {
    const head = "GET /livez HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n";
    expect(await exchange(head)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("does not keep 100-continue from being known", async () => {
    const body = '{"address":"0x000000000000000000000000000000000000dEaD"}';
    const head = `POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
    expect(await exchange(head + body)).toMatch(/^HTTP\/1\.1 100 Continue[\s\S]*HTTP\/1\.1 200 /);
  });
});
