// Who stands behind the roles of a vault, as their own contracts answer: the Safe, the timelock, the admin of Lagoon's proxy, or whoever holds a key.
import { type Abi, type Address, type Hex, zeroAddress } from "viem";
import { SAFE_ABI, SAFE_SINGLETON } from "../controllers.ts";
import { OWNER } from "../simulation/every-family.ts";
import { type At, byText, type Role } from "./shape.ts";

const NOTHING = {
  owners: [] as Address[],
  threshold: null,
  modules: [] as Address[],
  guard: null,
  module_guard: null,
  fallback_handler: null,
  singleton: null,
  min_delay_seconds: null,
  proposers: null,
  version: null,
};

/** Whoever holds a role, and behind them whoever is a contract. */
export async function controllersOf(at: At, roles: readonly Role[]) {
  const { world, vault } = at;
  const isLagoon = vault === world.vaults.lagoon;
  const all = isLagoon ? [...roles, { role: "proxy_admin", account: world.admin }] : roles;
  const told = new Map<Address, Awaited<ReturnType<typeof wordsOf>>>();
  const add = async (account: Address, held: readonly string[]) => {
    const words = await wordsOf(at, account, held);
    if (held.length > 0 || words.kind !== "eoa") told.set(account, words);
    return words.owners;
  };
  const holders = [...new Set(all.map(({ account }) => account))];
  const rolesOf = (account: Address) =>
    all.filter((each) => each.account === account).map(({ role }) => role);
  const behind = (await Promise.all(holders.map((account) => add(account, rolesOf(account))))).flat();
  for (const account of behind) if (!told.has(account)) await add(account, []);
  return byText([...told.values()]);
}

async function wordsOf({ world, block, on }: At, address: Address, held: readonly string[]) {
  const base = { address, roles: [...new Set(held)].sort() };
  const blockNumber = BigInt(block);
  const ask = <T>(abi: Abi, functionName: string, args: readonly unknown[] = []) =>
    world.chain.client.readContract({ abi, address, functionName, args, blockNumber }) as Promise<T>;
  switch (address) {
    case world.safe: {
      const [owners, threshold, version] = await Promise.all([
        ask<Address[]>(SAFE_ABI, "getOwners"),
        ask<bigint>(SAFE_ABI, "getThreshold"),
        ask<string>(SAFE_ABI, "VERSION"),
      ]);
      const safe = { owners: [...owners], threshold: Number(threshold), singleton: SAFE_SINGLETON, version };
      return { ...base, kind: "safe", ...NOTHING, ...safe };
    }
    case world.timelock: {
      const { abi } = world.controllers.artifacts.TimelockController!;
      const role = await ask<Hex>(abi, "PROPOSER_ROLE");
      const proposers: Address[] = (await ask<boolean>(abi, "hasRole", [role, OWNER])) ? [OWNER] : [];
      const delay = Number(await ask<bigint>(abi, "getMinDelay"));
      return {
        ...base,
        kind: "timelock",
        ...NOTHING,
        owners: proposers,
        proposers,
        min_delay_seconds: delay,
      };
    }
    case world.admin: {
      const owner = await on<Address>("DelayProxyAdmin", address, "owner");
      return { ...base, kind: "proxy_admin", ...NOTHING, owners: owner === zeroAddress ? [] : [owner] };
    }
    default:
      return { ...base, kind: "eoa", ...NOTHING };
  }
}
