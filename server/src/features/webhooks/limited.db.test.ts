// What a contract's signature is worth for webhooks: at one address another contract can stand on another chain, made by somebody else.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { asContract } from "../../../test/caller.ts";
import { acceptAll, addBlocks, addChain, addVault, testAddress } from "../../../test/chain-rows.ts";
import {
  CHAIN,
  createWebhookWorld,
  emptyWebhooks,
  MANAGER,
  paused,
  VAULT_ID,
  type WebhookWorld,
} from "../../../test/webhooks.ts";

const WEBHOOKS = "/api/v1/webhooks";
const OTHER_CHAIN = 10;
/** A vault that anybody made on the other chain, and named MANAGER the manager of. */
const PLANTED = testAddress(0x300);

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
  const { db } = world.database;
  await addChain(db, OTHER_CHAIN, 5);
  await addBlocks(db, OTHER_CHAIN, 1, 6);
  await addVault(db, OTHER_CHAIN, PLANTED);
  await db.pool.query(
    "insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, 'primary_manager', 1)",
    [OTHER_CHAIN, PLANTED, MANAGER],
  );
  await acceptAll(db);
});
afterAll(() => world.close());
beforeEach(() => emptyWebhooks(world));

const headers = asContract(MANAGER, OTHER_CHAIN);
const asked = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown) =>
  world.ask(method, path, MANAGER, { headers, ...(body === undefined ? {} : { body }) });

test("a contract on another chain neither sees nor changes what the wallet made", async () => {
  const { id } = await world.create();
  expect((await asked("GET", WEBHOOKS)).body.webhooks).toEqual([]);
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/test"],
    ["POST", "/rotate-secret"],
    ["GET", "/deliveries"],
  ] as const) {
    const { body } = await asked(method, `${WEBHOOKS}/${id}${path}`, method === "POST" ? {} : undefined);
    expect(body.code).toBe("not_found");
  }
  expect((await asked("PATCH", `${WEBHOOKS}/${id}`, { url: "https://elsewhere.example" })).status).toBe(404);
});

test("what it makes gets events of its own chain alone, and cannot name vaults of another", async () => {
  const url = world.receiver.url;
  expect((await asked("POST", WEBHOOKS, { url, vaults: [VAULT_ID] })).body.code).toBe("insufficient_role");
  const { status, body } = await asked("POST", WEBHOOKS, { url });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    limited_to_chain_id: OTHER_CHAIN,
    vaults: [`${OTHER_CHAIN}:${PLANTED}`],
    is_all_vaults: true,
  });
  const { chainId, ...event } = paused(1) as { chainId: number } & ReturnType<typeof paused>;
  expect(chainId).toBe(CHAIN);
  await world.emit({ ...event, chainId } as never);
  expect(await world.deliver()).toBe(0);
  await world.emit({ ...event, chainId: OTHER_CHAIN, vaultAddress: PLANTED } as never);
  expect(await world.deliver()).toBe(1);
  // The wallet's key is the same on every chain: it sees that endpoint, too.
  expect((await world.ask("GET", `${WEBHOOKS}/${body.id}`)).status).toBe(200);
});

test("an Idempotency-Key of the wallet's gives it none of the wallet's answers", async () => {
  const key = { "idempotency-key": "one-and-the-same" };
  const body = { url: world.receiver.url };
  const own = await world.ask("POST", WEBHOOKS, MANAGER, { body, headers: key });
  const foreign = await world.ask("POST", WEBHOOKS, MANAGER, { body, headers: { ...headers, ...key } });
  expect(foreign.status).toBe(201);
  expect(foreign.body.id).not.toBe(own.body.id);
  expect(foreign.body.secret).not.toBe(own.body.secret);
});

test("a contract whose wallet has roles on its chain alone keeps what was made before signatures were told apart", async () => {
  const { id } = await world.create();
  const contract = asContract(MANAGER, CHAIN);
  const seen = () => world.ask("GET", `${WEBHOOKS}/${id}`, MANAGER, { headers: contract });
  expect((await seen()).status).toBe(404);
  await world.database.db.pool.query("delete from vault_roles where chain_id = $1", [OTHER_CHAIN]);
  expect((await seen()).status).toBe(200);
});
