// What was built against release 0.1 goes on to work: requests that were recorded of it and the SDK as it stood are run against the
// service. Nothing of it is renamed, retyped or dropped but what DEVIATIONS names. `VAULTOPS_RECORD=1` writes today's answers into
// the file of requests, which is how a release is recorded.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addressOf } from "../../../demo/src/accounts.ts";
import { CHAIN, type ContractWorld, INGEST_TOKEN, SOURCE, startContractWorld } from "../contract-world.ts";
import { DESCRIPTION } from "../description.ts";
import { DEVIATIONS, isMeant } from "./deviations.ts";
import { type Description, narrowed } from "./narrowed.ts";
import before from "./openapi-0.1.json" with { type: "json" };
import { lost, type Recorded, type Replayed, replay, shapeOf } from "./replay.ts";
import { ApiError, createClient } from "./sdk-0.1/client.ts";
import { type AuditEntry, pollAuditLog } from "./sdk-0.1/poll.ts";
import { createReporter } from "./sdk-0.1/report.ts";
import { verifyWebhook } from "./sdk-0.1/verify-webhook.ts";

const REQUESTS = fileURLToPath(new URL("./requests-0.1.json", import.meta.url));
const isRecording = process.env.VAULTOPS_RECORD === "1";
/** How long what comes of an earlier request may take to be seen. */
const PATIENCE_MS = 60_000;

let world: ContractWorld;
beforeAll(async () => {
  world = await startContractWorld();
});
afterAll(() => world?.stop());

it("describes all that 0.1 described: what it took is taken, and what it answered is answered", () => {
  const faults = narrowed(before as unknown as Description, DESCRIPTION as unknown as Description);
  expect(faults.filter((fault) => !isMeant(fault))).toEqual([]);
});

it("answers each recorded request of 0.1 with its status, every member that it had, and no value that 0.1's description refuses", async () => {
  const recorded = JSON.parse(await readFile(REQUESTS, "utf8")) as Recorded[];
  const known = new Map(Object.entries(namesOf(world)));
  const faults: string[] = [];
  const lines: string[] = [];
  for (const request of recorded) {
    const name = `${request.as} ${request.request}`;
    // What comes of changes is recorded as well.
    if (isRecording && !request.request.startsWith("GET ")) await sleep(500);
    const faultsIn = (given: Replayed) =>
      faultsOf(request, given)
        .map((fault) => `${name}${fault}`)
        .filter((fault) => !isMeant(fault));
    let answer = await replay(world, request, known);
    const isRead = request.request.startsWith("GET ");
    for (let waitedMs = 0; isRead && waitedMs < PATIENCE_MS; waitedMs += 200) {
      if (faultsIn(answer).length === 0 || isRecording) break;
      await sleep(200);
      answer = await replay(world, request, known);
    }
    faults.push(...faultsIn(answer));
    const { status, body } = answer;
    lines.push(JSON.stringify({ ...request, status, shape: body === null ? null : shapeOf(body) }));
  }
  if (isRecording) await writeFile(REQUESTS, `[\n${lines.join(",\n")}\n]\n`);
  else expect(faults).toEqual([]);
});

it("serves the SDK of 0.1: calls, refusals, the poller, the reporter and the proof of webhooks", async () => {
  const client = createClient({ baseUrl: world.url, token: () => world.tokenOf("manager") });
  const me = await client.call("GET /api/v1/auth/me");
  expect(me.vaults.map(({ vault_address }) => vault_address)).toContain(world.vault);
  const path = { chain_id: CHAIN, vault: world.vault };
  const { redeems } = await client.call("GET /api/v1/vaults/{chain_id}/{vault}/redeems", { path });
  expect(redeems[0]?.pending_shares).toBe("250000");
  const exported = await client.open("GET /api/v1/audit/export", { query: { chain_id: CHAIN } });
  expect((await exported.text()).split("\n").length).toBeGreaterThan(5);
  const refused = createClient({ baseUrl: world.url }).call("GET /api/v1/auth/me");
  await expect(refused).rejects.toSatisfy(
    (error) => error instanceof ApiError && error.status === 401 && error.code === "invalid_token",
  );

  const spoolDir = await mkdtemp(join(tmpdir(), "vaultops-sdk-"));
  const rejected: unknown[] = [];
  const reporter = await createReporter({
    url: world.url,
    token: INGEST_TOKEN,
    source: SOURCE,
    spoolDir,
    onRejected: (...all) => rejected.push(all),
  });
  const data = { intent_id: "intent-of-sdk", seq: 1, state: "RECEIVED" as const, total_amount_in: 5n };
  reporter.report("vaultops.intent.event", { vault: `${CHAIN}:${world.vault}`, data });
  expect(await reporter.flush(PATIENCE_MS)).toBe(true);
  await reporter.stop();
  await rm(spoolDir, { recursive: true });
  expect(rejected).toEqual([]);
  const intent = await client.call("GET /api/v1/intents/{intent_id}", {
    path: { intent_id: "intent-of-sdk" },
  });
  expect(intent.state).toBe("RECEIVED");

  const { total } = await client.call("GET /api/v1/audit/logs");
  const polled: AuditEntry[] = [];
  const ending = new AbortController();
  await pollAuditLog({
    baseUrl: world.url,
    token: world.tokenOf("manager") as string,
    store: { load: async () => null, save: async () => void (polled.length >= total && ending.abort()) },
    handle: (entries) => void polled.push(...entries),
    intervalMs: 50,
    limit: 7,
    signal: ending.signal,
  });
  expect(new Set(polled.map(({ id }) => id)).size).toBe(polled.length);

  const made = await client.call("POST /api/v1/webhooks", { body: { url: `${world.receiver.url}/sdk` } });
  await client.call("POST /api/v1/webhooks/{id}/test", { path: { id: made.id } });
  const received = await expect
    .poll(() => world.receiver.received.find(({ path }) => path.endsWith("/sdk")))
    .toBeDefined()
    .then(() => world.receiver.received.find(({ path }) => path.endsWith("/sdk"))!);
  const { body, headers } = received;
  expect((await verifyWebhook({ body, headers, secret: made.secret })).event_type).toBe("webhook.test");
});

it("tells of each deviation in the CHANGELOG", async () => {
  const changelog = await readFile(new URL("../../../CHANGELOG.md", import.meta.url), "utf8");
  const text = changelog.replace(/\s+/g, " ");
  expect(DEVIATIONS.filter((deviation) => !text.includes(deviation.changelog))).toEqual([]);
});

function namesOf({ vault, foreignVault, asset, receiver }: ContractWorld): Record<string, string> {
  return {
    chain_id: String(CHAIN),
    vault,
    vault_lower: vault.toLowerCase(),
    foreign_vault: foreignVault,
    asset,
    receiver: receiver.url,
    viewer: addressOf("viewer"),
    manager: addressOf("primaryManager"),
  };
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
type Responses = Record<string, { content?: { "application/json"?: { schema: object } } }>;

/** What is wrong with an answer for a client of the release that the request was recorded of. */
function faultsOf({ request, status, shape }: Recorded, answer: Replayed): string[] {
  if (answer.status !== status) return [`: was ${status}, is ${answer.status}`];
  if (shape === null) return answer.body === null ? [] : [": had no body"];
  return [...lost(shape, shapeOf(answer.body)), ...refusedBy(request, status, answer.body)];
}

function refusedBy(request: string, status: number, body: unknown): string[] {
  const [method = "", path = ""] = request.split("?")[0]!.split(" ");
  const schema = describedIn(method, path)?.responses[status]?.content?.["application/json"]?.schema;
  if (schema === undefined) return [];
  const validate = ajv.compile(schema);
  if (validate(body)) return [];
  return (validate.errors ?? [])
    .filter(({ keyword }) => keyword === "type" || keyword === "required")
    .map(({ instancePath, message }) => `${instancePath.replaceAll("/", ".")}: ${message}`);
}

/** The operation of 0.1 that the path of a recorded request is one of. */
function describedIn(method: string, path: string): { responses: Responses } | undefined {
  const paths = before.paths as unknown as Record<string, Record<string, { responses: Responses }>>;
  const parts = path.split("/");
  const template = Object.keys(paths)
    .filter((one) => one.split("/").length === parts.length && paths[one]?.[method.toLowerCase()])
    // A literal part is nearer than a parameter.
    .sort((a, b) => a.split("{").length - b.split("{").length)
    .find((one) => one.split("/").every((part, index) => part.startsWith("{") || part === parts[index]));
  return template === undefined ? undefined : paths[template]?.[method.toLowerCase()];
}
