// `vaultops actions` against a server that answers as the API describes: what is asked, what is printed, and how it ends.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createActionClient } from "./actions.ts";

const VAULT = "8453:0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const PLACE = "/api/v1/vaults/8453/0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const ID = "01a22737-5f30-7943-b6df-2b6d567afcee";

const prepared = (more: object = {}) => ({
  id: ID,
  action: "pause",
  title: "Pause the vault\u001b[31m",
  from: "0x1",
  status: "prepared",
  calls: [{ to: "0x2", value: "0", function: "pause()", arguments: {} }],
  preconditions: [{ ok: true, text: "The vault is not paused." }],
  simulation: {
    ok: true,
    error: null,
    changes: [{ field: "status", before: "active", after: "paused", moves_with_time: false }],
    entries: [{ action_type: "vault_pause" }],
    alerts: [],
    at_execution: null,
  },
  simulation_unavailable_reason: null,
  formats: { eip5792: { version: "2.0.0" } },
  transaction_hash: null,
  entry_ids: [],
  created_at: "2026-01-01T00:00:00.000000Z",
  ...more,
});

let server: Server;
let answers: { status?: number; body: unknown }[];
let asked: { method: string; path: string; token: string; body: unknown }[];
let printed: string[];
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await text(request);
    asked.push({
      method: request.method!,
      path: request.url!,
      token: request.headers.authorization!,
      body: body === "" ? null : JSON.parse(body),
    });
    const { status = 200, body: answer } = answers.length > 1 ? answers.shift()! : answers[0]!;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void server.close());
beforeEach(() => {
  [answers, asked, printed] = [[], [], []];
});

const client = (more: { isJson?: boolean; format?: "eip5792" | "safe"; token?: null } = {}) =>
  createActionClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: "a-token",
    privateKey: null,
    isJson: false,
    format: null,
    print: (line) => printed.push(line),
    pauseMs: 1,
    ...more,
  });

test("lists what may be done, and why not", async () => {
  const offer = { action: "pause", title: "Pause", can_do: true, why_not: null, delay_seconds: null };
  answers = [
    { body: { actions: [offer, { ...offer, can_do: false, why_not: "No role.", delay_seconds: 60 }] } },
  ];
  expect(await client().list(VAULT)).toBe(0);
  expect(asked).toEqual([{ method: "GET", path: `${PLACE}/actions`, token: "Bearer a-token", body: null }]);
  expect(printed).toEqual(["+ pause  Pause", "- pause  Pause (waits 60 s): No role."]);
});

test("prepares, and prints for people, as JSON, or one form alone", async () => {
  answers = [{ status: 201, body: prepared() }];
  await client().prepare(VAULT, { action: "pause", parameters: {} });
  expect(asked[0]).toMatchObject({ method: "POST", body: { action: "pause", parameters: {} } });
  expect(printed).toEqual([
    `${ID}  Pause the vault�[31m`,
    "status  prepared",
    "from  0x1",
    "call  0x2  pause() {}",
    "holds  The vault is not paused.",
    'change  status: "active" → "paused"',
    "entry  vault_pause",
  ]);
  printed = [];
  await client({ isJson: true }).show(VAULT, ID, "7");
  expect(asked.at(-1)!.path).toBe(`${PLACE}/prepared-actions/${ID}?owner_nonce=7`);
  expect(JSON.parse(printed.join("\n"))).toEqual(prepared());
  printed = [];
  await client({ format: "eip5792" }).show(VAULT, ID);
  expect(JSON.parse(printed.join("\n"))).toEqual({ version: "2.0.0" });
  await expect(client({ format: "safe" }).show(VAULT, ID)).rejects.toThrow("--safe-nonce");
});

test("tells what was submitted, and watches to the end", async () => {
  answers = [{ body: prepared({ status: "submitted" }) }];
  await client().submit(VAULT, ID, { transaction_hash: "0x1" });
  expect(asked[0]).toMatchObject({
    method: "POST",
    path: `${PLACE}/prepared-actions/${ID}/submissions`,
    body: { transaction_hash: "0x1" },
  });
  printed = [];
  const done = { status: "confirmed", transaction_hash: "0x9", entry_ids: ["e1"] };
  answers = [
    { body: prepared() },
    { body: prepared() },
    { body: prepared({ status: "executed", transaction_hash: "0x9" }) },
    { body: prepared(done) },
  ];
  expect(await client().watch(VAULT, ID, new AbortController().signal)).toBe(0);
  expect(printed).toEqual(["prepared", "executed  0x9", "confirmed  0x9  e1"]);
  answers = [{ body: prepared({ status: "failed" }) }];
  expect(await client().watch(VAULT, ID, new AbortController().signal)).toBe(1);
});

test("a refusal is told in the service's words; no vault id and no token are told before anything is asked", async () => {
  answers = [{ status: 409, body: { code: "action_not_possible", detail: "The vault is paused already." } }];
  await expect(client().prepare(VAULT, { action: "pause" })).rejects.toThrow(
    "The vault is paused already. (action_not_possible)",
  );
  asked = [];
  await expect(client().list("8453")).rejects.toThrow("no vault id");
  await expect(client({ token: null }).list(VAULT)).rejects.toThrow("VAULTOPS_TOKEN");
  expect(asked).toEqual([]);
});
