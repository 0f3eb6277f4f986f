// What stood before a change, which four events of a Yearn V3 vault do not say: roles, the role manager, a strategy's cap, the limit of
// deposits; and who it was that only the role manager can have been, which two events do not say. From the block before, and from what the same
// block changed earlier. Where the node has no such state, it is left out, and told.
import type { Address } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { GovernanceBody } from "../../governance.ts";
import { isChainFault } from "../../rpc/fault.ts";
import type { Decoded } from "../family/family.ts";
import { ViewBatch } from "../family/view.ts";
import { nobodyAsNull, rolesChanged } from "./decode.ts";
import { YEARN_VIEWS } from "./views.ts";

export async function withBefore(
  client: ChainClient,
  changed: Decoded,
  all: readonly Decoded[],
): Promise<Decoded> {
  const { body } = changed;
  if (body.kind !== "governance") return { ...changed, needs: null };
  const earlier = earlierInBlock(changed, body, all);
  const told = actorIn(changed, body, all);
  const asked =
    earlier === null || told === undefined ? await inBlockBefore(client, changed, body) : NOTHING_BEFORE;
  const actor = told === undefined ? (asked?.manager ?? null) : told;
  if (earlier === null && asked === undefined)
    return {
      ...changed,
      actor,
      needs: null,
      isPartial: true,
      body: { ...body, effects: effectsOf(body, null) },
    };
  return {
    ...changed,
    actor,
    needs: null,
    body: { ...body, effects: effectsOf(body, earlier ?? asked!.before) },
  };
}

/** What only the role manager may do. */
const BY_ROLE_MANAGER: ReadonlySet<string> = new Set(["RoleSet", "UpdateFutureRoleManager"]);

/** Who acted, as far as the block tells; undefined for the role manager of before it. Whoever shuts a vault down is given a role by that. */
function actorIn(
  { log, vaultAddress, actor }: Decoded,
  body: GovernanceBody,
  all: readonly Decoded[],
): Address | null | undefined {
  if (!BY_ROLE_MANAGER.has(body.event)) return actor;
  const own = all.flatMap((each) =>
    each.vaultAddress === vaultAddress && each.body.kind === "governance"
      ? [{ ...each, body: each.body }]
      : [],
  );
  const isOf = (each: (typeof own)[number]) => each.log.txHash === log.txHash;
  if (body.event === "RoleSet" && own.some((each) => isOf(each) && each.body.event === "Shutdown"))
    return body.args.account as Address;
  const taken = own.findLast(
    (each) =>
      each.body.event === "UpdateRoleManager" &&
      each.log.blockNumber === log.blockNumber &&
      each.log.logIndex < log.logIndex,
  );
  return taken && (taken.body.args.role_manager as Address);
}

interface Before {
  before: string | null;
  manager: Address | null;
}

const NOTHING_BEFORE: Before = { before: null, manager: null };

function effectsOf(body: GovernanceBody, before: string | null): GovernanceBody["effects"] {
  if (body.event === "RoleSet") {
    const { account, role } = body.args;
    return rolesChanged(account as Address, before === null ? null : BigInt(before), BigInt(role as string));
  }
  if (before === null) return body.effects;
  return body.effects.map((effect) => ({ ...effect, old: before }));
}

/** What the same event set last, of the same subject, before this one in its block. */
function earlierInBlock(
  { log, vaultAddress }: Decoded,
  body: GovernanceBody,
  all: readonly Decoded[],
): string | null {
  const earlier = all.findLast(
    (each) =>
      each.log.blockNumber === log.blockNumber &&
      each.log.logIndex < log.logIndex &&
      each.vaultAddress === vaultAddress &&
      each.body.kind === "governance" &&
      each.body.event === body.event &&
      subjectOf(each.body) === subjectOf(body),
  );
  return earlier?.body.kind === "governance" ? (earlier.body.args[VALUES[body.event]!] as string) : null;
}

const VALUES: Readonly<Record<string, string>> = {
  RoleSet: "role",
  UpdateRoleManager: "role_manager",
  UpdatedMaxDebtForStrategy: "new_debt",
  UpdateDepositLimit: "deposit_limit",
};

function subjectOf({ args }: GovernanceBody): unknown {
  return args.account ?? args.strategy ?? null;
}

/** undefined where the node has no such state. */
async function inBlockBefore(
  client: ChainClient,
  changed: Decoded,
  body: GovernanceBody,
): Promise<Before | undefined> {
  const vault = changed.log.address as Address;
  const batch = new ViewBatch();
  const ask = {
    RoleSet: () => batch.add(vault, YEARN_VIEWS.roles, body.args.account),
    UpdateRoleManager: () => batch.add(vault, YEARN_VIEWS.roleManager),
    UpdatedMaxDebtForStrategy: () => {
      const params = batch.add(vault, YEARN_VIEWS.strategies, body.args.strategy);
      return () => params()?.maxDebt ?? null;
    },
    UpdateDepositLimit: () => batch.add(vault, YEARN_VIEWS.depositLimit),
  }[body.event];
  const answer = ask?.() ?? (() => null);
  const manager = BY_ROLE_MANAGER.has(body.event) ? batch.add(vault, YEARN_VIEWS.roleManager) : () => null;
  try {
    await batch.run(client, { number: changed.log.blockNumber - 1 }, { isForGood: true });
    return { before: answer()?.toString() ?? null, manager: nobodyAsNull(manager()) };
  } catch (error) {
    if (!isChainFault(error, "state_missing", "refused")) throw error;
    return undefined;
  }
}
