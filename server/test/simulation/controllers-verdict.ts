// The verdict on who stands behind roles in a simulated world: every event of the Safe and of the timelock is an entry of each vault behind whose
// roles they were known to stand before its block, and nothing else is. Their logs are read from the node and decoded by viem. When they
// came to be known is what the service wrote down: that depends on when the node told, and differs from one that read the chain in one go.
import { type Abi, type Address, decodeEventLog, decodeFunctionData, getAddress, type Hex } from "viem";
import { expect } from "vitest";
import type { Database } from "../../src/platform/db/db.ts";
import { SAFE_ABI } from "../controllers.ts";
import { readRecorded } from "../ground-truth.ts";
import type { EveryFamily } from "./every-family.ts";

const CHAIN = 31337;

const ACTIONS: Readonly<Record<string, string>> = {
  AddedOwner: "signer_add",
  RemovedOwner: "signer_remove",
  ChangedThreshold: "threshold_change",
  EnabledModule: "module_enable",
  DisabledModule: "module_disable",
  ExecutionSuccess: "safe_execute",
  CallScheduled: "timelock_schedule",
  CallExecuted: "timelock_execute",
};

/** `confirmed` bounds the entries. */
export async function expectControllersWord(
  world: EveryFamily,
  db: Database,
  confirmed: number,
): Promise<void> {
  const { safe, timelock, vaults } = world;
  const known = await linksOf(db);
  const must: string[] = [];
  const may = new Set<string>();
  for (const account of [safe, timelock])
    for (const { block, logIndex, action, actor, target } of await eventsOf(world, account, confirmed))
      for (const vault of Object.values(vaults)) {
        // What a Safe is made to do concerns the vault that it calls; what it does to itself, all of them.
        if (action === "safe_execute" && target !== vault && target !== safe) continue;
        const entry = [vault, block, logIndex, action, actor].join(" ");
        if (known(vault, account, block - 1)) must.push(entry);
        else if (known(vault, account, block)) may.add(entry);
      }
  const { entries } = await readRecorded(db, CHAIN);
  const held = entries
    .filter(({ details }) => details.controller === safe || details.controller === timelock)
    .map((each) =>
      [each.vault_address, each.block_number, each.log_index, each.action_type, each.actor_wallet].join(" "),
    );
  expect(held.filter((each) => !may.has(each)).sort(), "entries of who stands behind roles").toEqual(
    must.sort(),
  );
  expect(new Set(held).size, "each once").toBe(held.length);
}

/** Whether an account was known to stand behind a vault's roles as of a block. */
async function linksOf(db: Database): Promise<(vault: Address, account: Address, block: number) => boolean> {
  const { rows } = await db.pool.query<{ vault: Address; block: number; accounts: Address[] | null }>(
    `select vault_address as vault, block_number as block,
            (select array_agg(l->>'address') from jsonb_array_elements(links) l) as accounts
       from vault_controllers order by block_number`,
  );
  return (vault, account, block) =>
    rows.findLast((row) => row.vault === vault && row.block <= block)?.accounts?.includes(account) ?? false;
}

async function eventsOf({ chain, safe, controllers }: EveryFamily, account: Address, confirmed: number) {
  const abi: Abi = account === safe ? SAFE_ABI : controllers.artifacts.TimelockController!.abi;
  const logs = await chain.client.getLogs({ address: account, fromBlock: 0n, toBlock: BigInt(confirmed) });
  const events = logs.map(async (log) => {
    const { eventName } = decodeEventLog({ abi, topics: log.topics, data: log.data });
    const action = ACTIONS[eventName ?? ""];
    if (action === undefined) return [];
    const { from, to, input } = await chain.client.getTransaction({ hash: log.transactionHash });
    return [
      {
        block: Number(log.blockNumber),
        logIndex: log.logIndex,
        action,
        actor: account === safe ? safe : getAddress(from),
        target: to !== null && getAddress(to) === safe ? targetOf(input) : null,
      },
    ];
  });
  return (await Promise.all(events)).flat();
}

/** Whom a Safe's execution calls. */
function targetOf(data: Hex): Address | null {
  const { functionName, args } = decodeFunctionData({ abi: SAFE_ABI, data });
  return functionName === "execTransaction" ? getAddress(args![0] as Address) : null;
}
