// Who an account is, on a node with the published Safe, OpenZeppelin's timelock, and contracts that say to be what they are not.
import { encodeFunctionData, getAddress, type Hex, keccak256, numberToHex, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Controllers,
  deployControllers,
  SAFE_130_SINGLETON,
  SAFE_ABI,
  SAFE_SINGLETON,
} from "../../../test/controllers.ts";
import { deployArtifact, startTestChain, type TestChain } from "../../../test/node.ts";
import { silentLogger } from "../../platform/log.ts";
import { type ChainClient, createChainClient } from "../client/client.ts";
import { NEW_TIMELOCK } from "./apply-timelock.ts";
import { type Asked, readControllers } from "./read.ts";
import { plainState } from "./state.ts";

let chain: TestChain;
let client: ChainClient;
let ground: Controllers;

beforeAll(async () => {
  chain = await startTestChain();
  const { chainId, rpcUrl } = chain;
  client = createChainClient({ chainId, name: "test", rpcUrls: [rpcUrl], log: silentLogger() });
  ground = await deployControllers(chain);
});
afterAll(async () => {
  await client.close();
  await chain.stop();
});

async function read(asked: Asked) {
  const head = await client.head();
  return (await readControllers(client, [asked], head))[0];
}

describe("an account without code of its own", () => {
  test("is an eoa, and so is one that has delegated to a contract (EIP-7702)", async () => {
    const [wallet, other] = ground.accounts;
    expect(await read({ account: wallet! })).toEqual(plainState("eoa"));
    const bytecode: Hex = `0xef0100${SAFE_SINGLETON.slice(2)}`;
    await chain.client.setCode({ address: other!, bytecode });
    expect(await read({ account: other! })).toEqual(plainState("eoa"));
    await chain.client.setCode({ address: other!, bytecode: "0x" });
  });
});

describe("a Safe", () => {
  test("tells owners, threshold, modules, guards, fallback handler and singleton as its views do", async () => {
    const [anne, ben, carl, handler] = ground.accounts;
    const safe = await ground.deploySafe([anne!, ben!, carl!], 2);
    const self = (functionName: string, args: readonly unknown[]) =>
      ground.execute(safe, { to: safe, data: encodeFunctionData({ abi: SAFE_ABI, functionName, args }) }, [
        anne!,
        ben!,
      ]);
    const module = await deployArtifact(chain, ground.artifacts, "PassingModule");
    await self("enableModule", [module]);
    await self("setFallbackHandler", [handler]);
    expect(await read({ account: safe })).toEqual({
      ...plainState("safe"),
      version: "1.4.1",
      owners: [anne, ben, carl],
      threshold: 2,
      modules: [module],
      fallbackHandler: handler,
      singleton: SAFE_SINGLETON,
    });
  });

  test("of 1.3.0 is read the same way", async () => {
    const [anne] = ground.accounts;
    const safe = await ground.deploySafe([anne!], 1, SAFE_130_SINGLETON);
    expect(await read({ account: safe })).toMatchObject({
      kind: "safe",
      version: "1.3.0",
      owners: [anne],
      singleton: SAFE_130_SINGLETON,
    });
  });

  test("before a singleton that nobody published is a contract, unless the configuration names it", async () => {
    const [anne] = ground.accounts;
    const own = getAddress(numberToHex(0xaa, { size: 20 }));
    await chain.client.setCode({ address: own, bytecode: (await client.getCode(SAFE_SINGLETON, "latest"))! });
    const safe = await ground.deploySafe([anne!], 1, own);
    expect(await read({ account: safe })).toEqual({ ...plainState("contract"), singleton: own });
    const head = await client.head();
    const singletons = new Map([[own, "private"] as const]);
    expect(await readControllers(client, [{ account: safe }], head, { singletons })).toMatchObject([
      { kind: "safe", owners: [anne], version: "1.4.1" },
    ]);
  });

  test("with more than a hundred owners is a contract", async () => {
    const owners = Array.from({ length: 101 }, (_, n) => numberToHex(0x1000 + n, { size: 20 }));
    const safe = await ground.deploySafe(owners, 1);
    expect(await read({ account: safe })).toMatchObject({ kind: "contract", owners: [] });
  });

  test("is none that only says so, whatever it answers and however much", async () => {
    const [anne] = ground.accounts;
    const account = await deployArtifact(chain, ground.artifacts, "FalseSafe", [anne]);
    expect(await read({ account })).toEqual({ ...plainState("contract"), version: "1.4.1" });
  });
});

describe("a timelock", () => {
  test("tells its delay; who holds its roles is known from its events alone, each asked for by view", async () => {
    const [anne, ben] = ground.accounts;
    const account = await ground.deployTimelock(3600, [anne!]);
    expect(await read({ account })).toMatchObject({
      kind: "timelock",
      timelock: { minDelaySeconds: 3600, holders: null, operations: [] },
    });
    const holders = { proposer: [anne!, ben!], executor: [], canceller: [anne!], admin: [] };
    const known = { ...plainState("timelock"), timelock: { ...NEW_TIMELOCK, holders } };
    expect(await read({ account, known })).toMatchObject({
      timelock: { holders: { proposer: [anne], canceller: [anne] } },
    });
  });

  test("keeps an operation that waits, says that it is blocked by another, and drops what it never had", async () => {
    const [anne, ben] = ground.accounts;
    const account = await ground.deployTimelock(3600, [anne!]);
    const { abi } = ground.artifacts.TimelockController!;
    const zero = numberToHex(0, { size: 32 });
    const idOf = async (predecessor: Hex) =>
      (await chain.client.readContract({
        abi,
        address: account,
        functionName: "hashOperation",
        args: [ben, 0n, "0x", predecessor, zero],
      })) as Hex;
    const first = await idOf(zero);
    for (const predecessor of [zero, first])
      await ground.send(
        anne!,
        account,
        encodeFunctionData({
          abi,
          functionName: "schedule",
          args: [ben, 0n, "0x", predecessor, zero, 3600n],
        }),
      );
    const { timestamp } = await chain.client.getBlock();
    const operation = {
      calls: [],
      predecessor: null,
      scheduledAt: 1,
      scheduledBy: null,
      executableAt: null,
      isBlocked: true,
    };
    const operations = [
      { ...operation, id: first },
      { ...operation, id: await idOf(first), predecessor: first },
      { ...operation, id: keccak256(toHex("never")) },
    ];
    const known = { ...plainState("timelock"), timelock: { ...NEW_TIMELOCK, operations } };
    const state = await read({ account, known });
    expect(state?.timelock?.operations).toMatchObject([
      { id: first, isBlocked: false },
      { isBlocked: true, executableAt: Number(timestamp) + 3600 },
    ]);
  });
});

test("the admin of a proxy tells its owner; any other contract with an owner is a contract", async () => {
  const [anne] = ground.accounts;
  const account = await deployArtifact(chain, ground.artifacts, "ProxyAdmin", [anne]);
  expect(await read({ account })).toEqual(plainState("contract"));
  expect(await read({ account, isProxyAdmin: true })).toEqual({ ...plainState("proxy_admin"), owner: anne });
});
