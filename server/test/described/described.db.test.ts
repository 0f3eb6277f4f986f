// Whatever is asked of any documented route, by anybody: the service answers what its description says, never with a fault of its own.
// Some thousand requests, and 60,000 in `npm run test:full`. What is found is told with the request.
import { Writable } from "node:stream";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addressOf } from "../../../demo/src/accounts.ts";
import { createLogger } from "../../src/platform/log.ts";
import { CHAIN, type ContractWorld, SOURCE, startContractWorld } from "../contract-world.ts";
import fc from "../fast-check.ts";
import { type GeneratedRequest, OPERATIONS, requests } from "./requests.ts";
import type { Known } from "./values.ts";

const REQUESTS = process.env.VAULTOPS_FULL === "1" ? 60_000 : 1_600;
/** Asked at the same time. */
const TOGETHER = 8;
const LINKS = "/api/v1/me/links";
/** Answers with success to its provider alone. */
const PROVIDERS_OWN = "POST /api/v1/inbound/{provider}/{inbound_id}";
/** Says by 503 that a part is late, as it may be on a busy machine. */
const READINESS = "GET /readyz";
const NO_ID = "00000000-0000-7000-8000-000000000000";

let world: ContractWorld;
/** Lines of the log that tell of a fault. */
const complaints: string[] = [];
/** Ids that answers have shown, by the path that they belong to, so that later requests name what is there. */
const ids = new Map<string, string[]>();

beforeAll(async () => {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).split("\n"))
        if (/"level":"(error|fatal)"/.test(line)) complaints.push(line);
      done();
    },
  });
  world = await startContractWorld({ log: createLogger({ level: "warn", destination }) });
  await world.ask("manager", "PUT", `/api/v1/vaults/${CHAIN}/${world.vault}/members/${addressOf("viewer")}`, {
    role: "view_only",
  });
  for (const [path, body] of [
    ["/api/v1/webhooks", { url: world.receiver.url }],
    [
      "/api/v1/notification-channels",
      { provider: "email", name: "Duty", config: { to: "duty@example.org" } },
    ],
    ["/api/v1/silences", { chain_id: CHAIN, vault_address: world.vault, ends_at: "2099-01-01", reason: "r" }],
  ] as const)
    for (let n = 0; n < 3; n += 1)
      remember(path, path, await (await world.ask("manager", "POST", path, body)).json());
  const place = { team_id: "T0TEAM", channel_id: "C0DUTY", signing_secret: "0".repeat(32) };
  const chat = (await (
    await world.ask("manager", "POST", "/api/v1/notification-channels", {
      provider: "slack",
      name: "Chat",
      config: { webhook_url: world.receiver.url, ...place },
      interactive: true,
    })
  ).json()) as { id: string };
  for (let n = 0; n < 4; n += 1)
    remember(LINKS, LINKS, await (await world.ask("manager", "POST", LINKS, { channel_id: chat.id })).json());
});
afterAll(() => world?.stop());

it("answers any request as it describes: no 5xx, no status that is not documented, no answer that its schema refuses, no error in the log", async () => {
  const asked = new Set<string>();
  const statuses = new Map<number, number>();
  const together = fc.array(requests(known), { minLength: TOGETHER, maxLength: TOGETHER });
  await fc.assert(
    fc.asyncProperty(together, async (several) => {
      const faults = await Promise.all(
        several.map(async (request) => {
          const { status, faults } = await ask(request);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status < 300) asked.add(request.route);
          return faults.map((fault) => `${told(request)}: ${fault}`);
        }),
      );
      expect(faults.flat()).toEqual([]);
      expect(complaints).toEqual([]);
    }),
    { numRuns: Math.ceil(REQUESTS / TOGETHER), endOnFailure: true },
  );
  // That nothing is found would be worth little if little were taken.
  const missed = [...OPERATIONS.keys()].filter((route) => !asked.has(route) && route !== PROVIDERS_OWN);
  expect(missed.length, `${missed.join(", ")} of ${JSON.stringify([...statuses])}`).toBeLessThan(
    OPERATIONS.size / 5,
  );
}, 1_800_000);

/** What makes a request meaningful here; `id` and its like are drawn when the request is made. */
const known: Known = (name, path) => KNOWN[name]?.(path);

const vaults = () => fc.constantFrom(world.vault, world.vault, world.vault.toLowerCase(), world.foreignVault);
const chains = () => fc.constantFrom(CHAIN, CHAIN, CHAIN, CHAIN, 5);
const vaultIds = () => vaults().map((vault) => `${CHAIN}:${vault}`);
const idsOf = (path: string) =>
  fc.nat(9).map((back) => (back === 0 ? NO_ID : (ids.get(collectionOf(path))?.at(-1 - (back % 3)) ?? NO_ID)));
const times = () =>
  fc.constantFrom(
    "2026-11-01",
    "2026-11-28T00:00:00Z",
    "2099-01-01T00:00:00+02:00",
    new Date().toISOString(),
  );
const wallets = () =>
  fc.constantFrom(addressOf("viewer"), addressOf("secondaryManager"), addressOf("stranger"));
const urls = () => fc.constantFrom(world.receiver.url, `${world.receiver.url}/x`);
const KNOWN: Record<string, (path: string) => ReturnType<Known>> = {
  chain_id: chains,
  vault_address: vaults,
  vault: vaults,
  address: () => fc.oneof(vaults(), wallets()),
  addresses: () => fc.constant(world.asset),
  vault_id: vaultIds,
  subject: vaultIds,
  vaults: vaultIds,
  wallet: wallets,
  actor_wallet: wallets,
  id: idsOf,
  channel_id: () => idsOf("/notification-channels"),
  challenge_id: () => idsOf("/challenge"),
  intent_id: () => fc.constantFrom("intent-7", "intent-8", "none"),
  url: urls,
  source: () => fc.constant(SOURCE),
  seq: () => fc.constantFrom(1, 2, 7, 1_000_000),
  from: () => fc.oneof(fc.constantFrom(0, 1, 2), times()),
  to: () => fc.oneof(fc.constantFrom(1, 2, 3), times()),
  size: () => fc.constantFrom(0, 1, 2, 1_000_000),
  cursor: () => fc.constantFrom("start", "now", "1"),
  config: () =>
    fc.constantFrom(
      { url: world.receiver.url, secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}` },
      { webhook_url: world.receiver.url },
      { to: "duty@example.org" },
    ),
  provider: () => fc.constantFrom("webhook", "slack", "email"),
  ends_at: () => fc.constantFrom("2099-01-01", "2001-01-01"),
  ...Object.fromEntries(
    ["from_timestamp", "to_timestamp", "created_from", "created_to", "time"].map((name) => [name, times]),
  ),
};

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new Map<object, ValidateFunction>();

function refusedBy(schema: object, value: unknown): string | null {
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    validators.set(schema, validate);
  }
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

async function ask(request: GeneratedRequest): Promise<{ status: number; faults: string[] }> {
  const { route, caller, target, headers, body } = request;
  const operation = OPERATIONS.get(route)!;
  const token = world.tokenOf(caller);
  const response = await fetch(`${world.url}${target}`, {
    method: operation.method,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const { status } = response;
  const type = (response.headers.get("content-type") ?? "").split(";")[0] as string;
  if (type === "text/event-stream") {
    await response.body?.cancel();
    return { status, faults: [] };
  }
  const text = await response.text();
  if (status >= 500 && !(route === READINESS && status === 503))
    return { status, faults: [`${status} ${text}`] };
  if (status === 304) return { status, faults: "if-none-match" in headers ? [] : ["304 unasked"] };
  if (status < 300 && body === undefined && operation.requestBody?.required)
    return { status, faults: ["takes no body, though one is required by the description"] };
  const documented = operation.responses[status];
  if (documented === undefined) return { status, faults: [`${status} is not documented: ${text}`] };
  if (documented.content === undefined)
    return { status, faults: text === "" ? [] : [`a body with ${status}`] };
  const content = documented.content[type];
  if (content === undefined) return { status, faults: [`${type} is not documented with ${status}`] };
  if (!type.endsWith("json")) return { status, faults: [] };
  const answer: unknown = JSON.parse(text);
  if (status < 300) remember(route, target, answer);
  const refusal = content.schema === undefined ? null : refusedBy(content.schema, answer);
  return { status, faults: refusal === null ? [] : [`${status} ${refusal}: ${text.slice(0, 500)}`] };
}

function remember(route: string, target: string, answer: unknown): void {
  const of = collectionOf(route);
  const held = ids.get(of) ?? [];
  const shown = [...JSON.stringify(answer).matchAll(/"(?:id|challenge_id)":"([0-9a-f-]{36})"/g)].map(
    ([, id]) => id!,
  );
  const gone = route.startsWith("DELETE") ? target : "";
  ids.set(of, [...held.filter((id) => !shown.includes(id) && !gone.includes(id)), ...shown].slice(-50));
}

/** What an id in a path is one of, by the part of the path before it. */
function collectionOf(path: string): string {
  return COLLECTIONS.find((name) => path.includes(name)) ?? "";
}

const COLLECTIONS = [
  "webhook-deliveries",
  "/webhooks",
  "/notification-channels",
  "/me/links",
  "/silences",
  "/alerts",
  "/audit/logs",
  "/challenge",
];

function told({ route, caller, target, headers, body }: GeneratedRequest): string {
  return `${caller} ${route.split(" ")[0]} ${target} ${JSON.stringify(headers)} ${(body ?? "").slice(0, 1000)}`;
}
