// Following a chain over several URLs: a quorum that holds back what one node alone says, and a WebSocket beside polling.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createFollowed, type Followed } from "../../../test/followed.ts";
import { startSocketNode } from "../../../test/socket-node.ts";

let followed: Followed;
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  await followed.end();
  for (const clean of cleanups.splice(0)) await clean();
});

describe("with a quorum of two", () => {
  it("confirms nothing that one node alone says, follows the head meanwhile, and goes on when the other is back", async () => {
    followed = await createFollowed({ seed: 51 });
    const { anvil, activity } = followed;
    const other = await forwarder(anvil.rpcUrl);
    const ingest = followed.start({ rpcUrls: [anvil.rpcUrl, other.url] }, { client: { quorum: 2 } });
    for (let index = 0; index < 4; index += 1) await activity.block();
    await followed.settle();

    other.isAway = true;
    const { confirmed } = ingest.status();
    for (let index = 0; index < 6; index += 1) await activity.block();
    const head = await activity.mine();
    const held = await ingest.until(
      "held back",
      (status) => status.head === head && (status.error?.includes("fewer than 2 nodes agree") ?? false),
    );
    expect(held.confirmed).toBe(confirmed);
    other.isAway = false;
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("begins nowhere while there is no second node", async () => {
    followed = await createFollowed({ seed: 52 });
    const { anvil, activity, database } = followed;
    const other = await forwarder(anvil.rpcUrl);
    other.isAway = true;
    const ingest = followed.start({ rpcUrls: [anvil.rpcUrl, other.url] }, { client: { quorum: 2 } });
    await ingest.until("waiting", ({ error }) => error?.includes("fewer than 2 nodes agree") ?? false);
    expect((await database.db.pool.query("select from blocks")).rows).toEqual([]);
    other.isAway = false;
    for (let index = 0; index < 4; index += 1) await activity.block();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("confirms at zero confirmations only what both have", async () => {
    followed = await createFollowed({ seed: 53, confirmations: 0 });
    const { anvil, activity } = followed;
    const other = await forwarder(anvil.rpcUrl);
    followed.start({ rpcUrls: [anvil.rpcUrl, other.url] }, { client: { quorum: 2 } });
    for (let index = 0; index < 6; index += 1) await activity.block();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });
});

describe("with a WebSocket", () => {
  it("follows on what a real node tells, and by polling when the node tells nothing", async () => {
    followed = await createFollowed({ seed: 54 });
    const { anvil, activity } = followed;
    const silent = await startSocketNode(anvil.chainId);
    cleanups.push(silent.close);
    const heads = [anvil.rpcUrl.replace("http", "ws"), silent.url];
    for (const url of heads) {
      followed.start({ rpcUrls: [anvil.rpcUrl, url] }, { client: { deafMs: 100 } });
      for (let index = 0; index < 6; index += 1) {
        await activity.block();
        if (index % 3 === 2) await activity.reorg(2);
      }
      await followed.settle();
      expect(await followed.expectTruth()).toEqual([]);
      // Polling may be done before the socket is there.
      if (url === silent.url) await expect.poll(() => silent.subscriptions).toBeGreaterThan(0);
      await followed.stop();
    }
  });
});

/** Another URL of the same node, which can be away. */
async function forwarder(rpcUrl: string): Promise<{ url: string; isAway: boolean }> {
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (state.isAway) return response.writeHead(502).end();
    const answer = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const state = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isAway: false };
  return state;
}
