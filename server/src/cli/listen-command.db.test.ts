// `vaultops listen` as it is run with a private key, against a whole service: it signs in, makes its endpoint, gets what is sent, and takes
// the endpoint away when it ends.
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoAccount } from "../../../demo/src/accounts.ts";
import { addChain, addVault, testAddress } from "../../test/chain-rows.ts";
import { startWholeService, TO_THIS_MACHINE, type WholeService } from "../../test/whole-service.ts";
import { listenCommand } from "./listen-command.ts";
import { tokenCommand } from "./sign-in.ts";

const CHAIN = 8453;
const { address, privateKey } = demoAccount(0);

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService({
    // Known to sign in on; its node is not there, and nothing is asked of it.
    chains: [{ chain_id: CHAIN, rpc_urls: ["http://127.0.0.1:9/"], confirmations: 1, sources: [] }],
    env: TO_THIS_MACHINE,
    async fill(db) {
      const vault = testAddress(0x100);
      await addChain(db, CHAIN, 1);
      await addVault(db, CHAIN, vault);
      await db.pool.query(
        "insert into vault_roles (chain_id, vault_address, wallet, role) values ($1, $2, $3, 'primary_manager')",
        [CHAIN, vault, address],
      );
    },
  });
}, 300_000);

afterAll(() => service?.stop());

test("signs in by its key, makes an endpoint, verifies what is sent to it, and deletes the endpoint when it is ended", async () => {
  const baseUrl = service.url;
  const token = await tokenCommand({ baseUrl, privateKey });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  const ask = async (path: string, method = "GET"): Promise<any> => {
    const response = await fetch(`${baseUrl}/api/v1/webhooks${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    return (await response.json()) as { webhooks: [{ id: string }]; total: number };
  };
  const printed: string[] = [];
  const stop = new AbortController();
  const done = listenCommand({
    port: 0,
    forwardTo: null,
    baseUrl,
    privateKey,
    secret: null,
    print: (line) => void printed.push(line),
    signal: stop.signal,
  });
  while (!printed.some((line) => line.startsWith("listening on"))) await sleep(20);
  const { webhooks } = await ask("");
  expect(webhooks).toMatchObject([{ description: "vaultops listen", created_by: address }]);
  expect(await ask(`/${webhooks[0].id}/test`, "POST")).toMatchObject({
    status: "delivered",
    attempts: [{ status_code: 204 }],
  });
  expect(printed.join("\n")).toMatch(/evt_[0-9a-f-]{36} \(verified\) .+webhook\.test/);
  stop.abort();
  expect(await done).toBe(0);
  expect((await ask("")).total).toBe(0);
});

test("says which endpoint is left behind when the service is out at the end", async () => {
  const front = createHttpServer(async (request, response) => {
    const body = await text(request);
    const answer = await fetch(`${service.url}${request.url}`, {
      method: request.method as string,
      headers: { authorization: request.headers.authorization ?? "", "content-type": "application/json" },
      ...(body === "" ? {} : { body }),
    });
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const printed: string[] = [];
  const stop = new AbortController();
  const done = listenCommand({
    port: 0,
    forwardTo: null,
    baseUrl: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    privateKey,
    secret: null,
    print: (line) => void printed.push(line),
    signal: stop.signal,
  });
  const told = expect(done).rejects.toThrow(
    /^The endpoint is left behind: .+ does not answer .+ Delete it later: DELETE http.+\/api\/v1\/webhooks\/[0-9a-f-]{36}$/,
  );
  while (!printed.some((line) => line.startsWith("listening on"))) await sleep(20);
  front.closeAllConnections();
  await new Promise((resolve) => front.close(resolve));
  stop.abort();
  await told;
});

test("makes nothing where the service refuses the endpoint, and says why in the service's words", async () => {
  const options = {
    port: 0,
    forwardTo: null,
    baseUrl: service.url,
    privateKey: demoAccount(3).privateKey,
    secret: null,
    print() {},
    signal: new AbortController().signal,
  };
  await expect(listenCommand(options)).rejects.toThrow(/The service made no endpoint: .+manager/);
});
