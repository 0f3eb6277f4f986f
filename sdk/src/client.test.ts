import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ApiError, ApiUnreachable, createClient } from "./client.ts";

let server: Server;
let baseUrl: string;
let asked: { url: string; method: string; headers: IncomingMessage["headers"]; body: string }[] = [];
let answer: (response: ServerResponse) => void = () => {};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ url: request.url ?? "", method: request.method ?? "", headers: request.headers, body });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  asked = [];
  answer = (response) => response.setHeader("content-type", "application/json").end('{"vaults":[]}');
});

it("asks with path, query, token and body as the description says, and answers with what came", async () => {
  const client = createClient({ baseUrl: `${baseUrl}/`, token: () => "t0ken" });
  expect(await client.call("GET /api/v1/vaults", { query: { fields: "state" } })).toEqual({ vaults: [] });
  await client.call("GET /api/v1/engine/shards/{vault_id}/state", { path: { vault_id: "1:0x/../a" } });
  await client.call("GET /api/v1/audit/logs", { query: { action_type: ["deposit", "withdraw"], limit: 5 } });
  await client.call("POST /identity/challenge", { body: { address: "0x1", chain_id: 1 } });
  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET /api/v1/vaults?fields=state",
    "GET /api/v1/engine/shards/1%3A0x%2F..%2Fa/state",
    "GET /api/v1/audit/logs?action_type=deposit&action_type=withdraw&limit=5",
    "POST /identity/challenge",
  ]);
  expect(asked[0]?.headers.authorization).toBe("Bearer t0ken");
  expect(asked[3]?.headers["content-type"]).toBe("application/json");
  expect(JSON.parse(asked[3]?.body ?? "")).toEqual({ address: "0x1", chain_id: 1 });
});

it("throws what the service's problem document says, with its request id", async () => {
  answer = (response) =>
    response.writeHead(429, { "content-type": "application/problem+json", "retry-after": "7" }).end(
      JSON.stringify({
        title: "Too many",
        detail: "Wait.",
        code: "rate_limited",
        request_id: "r-1",
        status: 429,
      }),
    );
  const error = await createClient({ baseUrl })
    .call("GET /api/v1/chains")
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 429,
    code: "rate_limited",
    title: "Too many",
    detail: "Wait.",
    requestId: "r-1",
    retryAfterMs: 7000,
  });
});

it("throws an ApiError too where something between answers in the service's place", async () => {
  answer = (response) =>
    response
      .writeHead(502, { "content-type": "text/html", "x-request-id": "r-2" })
      .end("<h1>Bad gateway</h1>");
  const error = await createClient({ baseUrl })
    .call("GET /api/v1/chains")
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 502, code: null, requestId: "r-2" });
});

it("takes neither a page for an answer nor another's JSON for a problem of the service", async () => {
  answer = (response) =>
    response.setHeader("content-type", "text/html").end("<h1>Sign in to the network</h1>");
  await expect(createClient({ baseUrl }).call("GET /api/v1/chains")).rejects.toBeInstanceOf(ApiUnreachable);
  answer = (response) =>
    response
      .writeHead(503, { "content-type": "application/json" })
      .end(JSON.stringify({ code: "upstream", detail: { of: "a gateway" } }));
  const error = await createClient({ baseUrl })
    .call("GET /api/v1/chains")
    .catch((thrown) => thrown);
  expect(error).toMatchObject({ status: 503, code: null, detail: "The service answered 503." });
});

it("throws ApiUnreachable where no answer comes, is cut off, or takes too long", async () => {
  await expect(
    createClient({ baseUrl: "http://127.0.0.1:1" }).call("GET /api/v1/chains"),
  ).rejects.toBeInstanceOf(ApiUnreachable);
  answer = (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write("[");
    response.destroy();
  };
  await expect(createClient({ baseUrl }).call("GET /api/v1/chains")).rejects.toBeInstanceOf(ApiUnreachable);
  answer = () => {};
  await expect(createClient({ baseUrl, timeoutMs: 50 }).call("GET /api/v1/chains")).rejects.toBeInstanceOf(
    ApiUnreachable,
  );
});

it("throws what the source of the token throws, and not that the service is away", async () => {
  const token = () => Promise.reject(new Error("no session"));
  await expect(createClient({ baseUrl, token }).call("GET /api/v1/chains")).rejects.toThrow("no session");
  await expect(createClient({ baseUrl, token }).open("GET /api/v1/chains")).rejects.toThrow("no session");
});

it("follows no redirect: the service sends none", async () => {
  answer = (response) => response.writeHead(302, { location: "/elsewhere" }).end();
  const call = createClient({ baseUrl }).call("GET /api/v1/chains");
  await expect(call).rejects.toBeInstanceOf(ApiUnreachable);
  expect(asked).toHaveLength(1);
});

it("throws the caller's own reason when the caller gives up", async () => {
  answer = () => {};
  const ending = new AbortController();
  const call = createClient({ baseUrl }).call("GET /api/v1/chains", { signal: ending.signal });
  ending.abort(new Error("gave up"));
  await expect(call).rejects.toThrow("gave up");
});

it("gives text as text, and nothing for an answer without a body", async () => {
  const client = createClient({ baseUrl });
  answer = (response) => response.setHeader("content-type", "text/plain; charset=utf-8").end("a note");
  expect(await client.call("GET /api/v1/audit/checkpoint")).toBe("a note");
  answer = (response) => response.writeHead(204).end();
  const path = { chain_id: 1, vault_address: "0x1", wallet: "0x2" };
  const gone = "DELETE /api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}";
  expect(await client.call(gone, { path })).toBeUndefined();
});
