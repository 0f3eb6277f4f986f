// The shell's way in: a private key signs what its own service asks it to sign, and nothing else.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../test/free-port.ts";
import {
  buildIdentityService,
  type IdentityGround,
  layIdentityGround,
  TEST_CHAIN,
} from "../../test/identity.ts";
import { tokenCommand } from "./sign-in.ts";

const privateKey = generatePrivateKey();
const { address } = privateKeyToAccount(privateKey);

let ground: IdentityGround;
beforeAll(async () => {
  ground = await layIdentityGround();
});
afterAll(() => ground.remove());

test("signs in with a private key over HTTP, with the scope and life asked for", async () => {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const service = await buildIdentityService({ ground, publicUrl: baseUrl });
  await service.app.listen({ host: "127.0.0.1", port });
  const session = await tokenCommand({ baseUrl, privateKey });
  expect((await service.me(session)).body).toMatchObject({ wallet_address: address, scope: "full" });
  const reading = await tokenCommand({
    baseUrl,
    privateKey,
    scope: "read",
    expiresInSeconds: 120,
    chainId: TEST_CHAIN,
  });
  const { body } = await service.me(reading);
  expect(body).toMatchObject({ wallet_address: address, scope: "read" });
  expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(120_000);
  await expect(tokenCommand({ baseUrl, privateKey, expiresInSeconds: 7_200 })).rejects.toThrow(
    /400.*expires_in/,
  );
  await service.app.close();
  await expect(tokenCommand({ baseUrl, privateKey })).rejects.toThrow(/does not answer/);
});

/** A host that answers as an identity provider would, with a challenge of its choice; tells what was sent for a token. */
async function lure(challengeOf: (own: string) => unknown): Promise<{ url: string; sent: string[] }> {
  const sent: string[] = [];
  const answer: RequestListener = async (request, response) => {
    const own = `http://${request.headers.host}/identity`;
    if (request.url === "/api/v1/auth/config")
      response.end(JSON.stringify({ embedded: { auth_url: own, chain_ids: [TEST_CHAIN] } }));
    else if (request.url === "/identity/challenge") response.end(JSON.stringify(await challengeOf(own)));
    else sent.push(request.url ?? "");
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

test("does not sign another service's challenge that a host passes on", async () => {
  const victim = await buildIdentityService({ ground, publicUrl: "https://victim.test" });
  const { url, sent } = await lure(() => victim.challengeFor(address));
  await expect(tokenCommand({ baseUrl: url, privateKey })).rejects.toThrow(/was not signed/);
  expect(sent).toEqual([]);
  await victim.app.close();
});

test("does not sign anything but a sign-in, such as a permit dressed up with the fields of one", async () => {
  const service = await buildIdentityService({ ground, publicUrl: "http://127.0.0.1:1" });
  const { url, sent } = await lure(async (own) => {
    const challenge = await service.challengeFor(address);
    const { message } = challenge.typed_data;
    return {
      ...challenge,
      typed_data: {
        domain: { name: "USD Coin", version: "2", chainId: 1, verifyingContract: address },
        types: {
          Permit: [
            { name: "owner", type: "address" },
            { name: "value", type: "uint256" },
          ],
        },
        primaryType: "Permit",
        message: { ...message, uri: own, domain: new URL(own).host, owner: address, value: "1000000" },
      },
    };
  });
  await expect(tokenCommand({ baseUrl: url, privateKey })).rejects.toThrow(/was not signed/);
  expect(sent).toEqual([]);
  await service.app.close();
});

test("says so where a service has no identity provider of its own", async () => {
  const server = createServer((_request, response) =>
    response.end(JSON.stringify({ issuers: [], embedded: null })),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(tokenCommand({ baseUrl, privateKey })).rejects.toThrow(/auth\.embedded/);
  server.closeAllConnections();
  server.close();
});
