// The contracts of September 2025, whose shapes differ: a redemption taken back at once, and upkeep that is the manager's.
import { type Address, encodeAbiParameters, getAddress, type Hex, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { encodeEvent } from "../../../../../demo/src/events.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { ADDRESSES, rawLog, testDirectory } from "../../../../test/event-log.ts";
import { redeemStepOf } from "../../../features/vaults/project-redeems.ts";
import type { ChainClient } from "../../client/client.ts";
import type { Call } from "../../rpc/raw.ts";
import { createFamilies } from "../registry.ts";
import { read } from "./read.ts";

const family = createFamilies(silentLog).supervault;
const directory = testDirectory();
const MANAGER = getAddress(`0x${"e".repeat(40)}`);

test("a cancelled redemption takes its shares, as the strategy tells them in the same transaction, out of the queue", async () => {
  const controller = ADDRESSES.user;
  const told = rawLog(
    encodeEvent("RedeemRequestCanceled(address indexed controller, uint256 shares)", [controller, 70n]),
    {
      address: ADDRESSES.strategy.toLowerCase() as Hex,
      logIndex: 3,
    },
  );
  const cancelled = rawLog(
    encodeEvent("RedeemRequestCancelled(address indexed controller, address indexed sender)", [
      controller,
      MANAGER,
    ]),
    { address: ADDRESSES.vault.toLowerCase() as Hex, logIndex: 5 },
  );
  const decoded = [told, cancelled].map((log) => family.decode(log, directory)!);
  const nobody = {} as ChainClient;
  const [, complete] = await family.complete(nobody, decoded, directory);
  expect(complete).toMatchObject({ actor: MANAGER, needs: null, body: { controller, shares: 70n } });
  expect(redeemStepOf(complete!.body, false)).toMatchObject({ kind: "cancel", controller, shares: 70n });
  const [alone] = await family.complete(nobody, [decoded[1]!], directory);
  expect(alone?.body).toMatchObject({ shares: null });
  // However much it was: all that waited came back.
  expect(redeemStepOf(alone!.body, false)).toMatchObject({ kind: "cancel", controller, shares: null });
});

/** A node whose contracts answer these views; every other reverts. */
function answering(answers: Record<string, (argument: Address) => [type: string, value: unknown]>) {
  const bySelector = new Map(
    Object.entries(answers).map(([signature, answer]) => [
      toFunctionSelector(`function ${signature}`),
      answer,
    ]),
  );
  return {
    multicall: async (calls: readonly Call[]) =>
      calls.map(({ data }) => {
        const answer = bySelector.get(data.slice(0, 10) as Hex);
        if (!answer) return { success: false, data: "0x" as Hex };
        const argument = data.length < 74 ? ADDRESSES.user : getAddress(`0x${data.slice(34, 74)}`);
        const [type, value] = answer(argument);
        return { success: true, data: encodeAbiParameters([{ type }], [value]) };
      }),
  } as unknown as ChainClient;
}

test("upkeep is the main manager's where no strategy can have a withdrawal pending, and the strategy's elsewhere", async () => {
  const vault = directory.vault(ADDRESSES.vault)!;
  const older = {
    "getMainManager(address)": () => ["address", MANAGER] as [string, unknown],
    "getUpkeepBalance(address)": (of: Address) =>
      ["uint256", of === MANAGER ? 500n : 0n] as [string, unknown],
    "isUpkeepPaymentsEnabled()": () => ["bool", true] as [string, unknown],
    "getActivePPSOracle()": () => ["address", ADDRESSES.oracle] as [string, unknown],
    "getUpkeepCostPerBatchUpdate(address,uint256)": (oracle: Address) =>
      ["uint256", oracle === ADDRESSES.oracle ? 9n : 1n] as [string, unknown],
  };
  const [state] = await read(answering(older), [vault], { number: 7 });
  expect(state?.upkeep).toEqual({ balance: 500n, requiredBalance: 9n, token: null });
});
