// Prepare: exact calls, what must hold for them as the chain is now, and what they would do. Nothing here signs or sends, and what is kept could do
// neither.
import { randomUUID } from "node:crypto";
import type { Address } from "viem";
import type { Action, ActionContext, Precondition } from "../../../chain/families/family/action.ts";
import { must } from "../../../chain/families/family/action-call.ts";
import type { Families } from "../../../chain/families/family/family.ts";
import { readParameters } from "../../../chain/families/family/parameters.ts";
import type { Json } from "../../../chain/governance.ts";
import { isChainFault } from "../../../chain/rpc/fault.ts";
import type { Database } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Logger } from "../../../platform/log.ts";
import type { PreparedAction } from "../prepared.ts";
import { actionsOf } from "./catalogue.ts";
import type { Foreteller, Foretelling, Standing } from "./foreteller.ts";
import { eventsOf, simulationOf } from "./outcome.ts";
import { mayDo, resolveSender, type Sender, senderOf } from "./sender.ts";
import { loadHolders } from "./store.ts";

export interface Asked {
  chainId: number;
  vaultAddress: Address;
  wallet: Address;
  account: string;
  action: string;
  parameters: Readonly<Record<string, unknown>>;
  from: Address | null;
  safeNonce: bigint | null;
}

export interface PrepareParts {
  db: Pick<Database, "kysely">;
  foreteller: Foreteller;
  families: Families;
  log: Logger;
  nowMs(): number;
  /** How long the node has in all. */
  nodeMs: number;
}

const LIFE_MS = 7 * 86_400_000;

/** @throws Problem `invalid_request`, `from_required`, `action_not_possible`, `service_unavailable` */
export async function prepare(parts: PrepareParts, asked: Asked): Promise<PreparedAction> {
  const { action, values } = await chosen(parts, asked);
  const deadline = AbortSignal.timeout(parts.nodeMs);
  const standing = await asking(deadline, standingFor(parts, asked));
  const context = { ...standing, parameters: values };
  const allowed = await asking(deadline, allowedFor(action, context));
  const sender = await asking(deadline, senderFor(parts, asked, standing, allowed));
  const plan = await asking(deadline, action.plan({ ...context, from: sender.address }));
  const preconditions: Precondition[] = [...roleHeld(action, allowed, sender), ...plan.preconditions];
  const broken = preconditions.find(({ ok }) => !ok);
  if (broken)
    throw new Problem("action_not_possible", broken.reason ?? broken.text, {
      preconditions: preconditions.map(({ ok, text }) => ({ ok, text })),
    });
  const told = await foretell(parts, standing, deadline, {
    from: sender.address,
    isContract: sender.kind !== "eoa",
    calls: plan.calls,
    execution: plan.execution ?? null,
  });
  const { number, hash } = standing.block;
  const simulation =
    told.foretelling && simulationOf(told.foretelling, { block_hash: hash, errors: standing.family.errors });
  return {
    id: randomUUID(),
    chainId: asked.chainId,
    vaultAddress: asked.vaultAddress,
    family: standing.vault.family,
    action: action.name,
    parameters: values,
    wallet: asked.wallet,
    account: asked.account,
    from: sender.address,
    fromKind: sender.kind,
    fromVersion: sender.version,
    safeNonce: asked.safeNonce,
    calls: plan.calls.map(({ to, ...call }) => ({ target: to, ...call })),
    events:
      told.foretelling?.method === "eth_simulateV1"
        ? eventsOf(told.foretelling.events, told.foretelling.laterEvents)
        : [],
    preconditions,
    simulation: simulation as Readonly<Record<string, Json>> | null,
    simulationUnavailableReason: told.reason,
    block: { number, hash },
    createdAt: timestampOfMs(parts.nowMs()),
    expiresAt: timestampOfMs(parts.nowMs() + LIFE_MS),
  };
}

async function standingFor(
  { foreteller }: PrepareParts,
  { chainId, vaultAddress }: Asked,
): Promise<Standing> {
  const standing = await foreteller.stand(chainId, vaultAddress);
  if (standing) return standing;
  throw new Problem(
    "action_not_possible",
    "The vault's source is not configured any more: nothing of it is followed.",
  );
}

/** What is asked for, as far as it can be told without the node. @throws Problem `invalid_request` */
async function chosen({ db, families }: PrepareParts, asked: Asked) {
  const { family, ...holders } = await loadHolders(db, asked.chainId, asked.vaultAddress);
  const action = actionsOf(families, family, holders).find(({ name }) => name === asked.action);
  if (action === undefined) {
    const message = "is no action of this vault: see its catalogue";
    throw new Problem("invalid_request", `action ${message}.`, { errors: [{ path: "action", message }] });
  }
  const read = readParameters(action.parameters, asked.parameters);
  if ("values" in read) return { action, values: read.values };
  const [first] = read.faults;
  throw new Problem("invalid_request", `${first!.path} ${first!.message}.`, { errors: read.faults });
}

/** null: anybody. */
async function allowedFor(
  action: Action,
  context: Omit<ActionContext, "from">,
): Promise<readonly Address[] | null> {
  const listed = mayDo(action, { roles: context.reading.contractRoles, controllers: context.controllers });
  return action.holders ? await action.holders(context) : listed;
}

async function senderFor(
  { foreteller }: PrepareParts,
  { wallet, from, chainId }: Asked,
  standing: Standing,
  allowed: readonly Address[] | null,
): Promise<Sender> {
  const resolved = from === null ? resolveSender(wallet, allowed, standing) : { sender: from };
  if ("sender" in resolved)
    return await senderOf(resolved.sender, standing, (address) => foreteller.codeAt(chainId, address));
  const { candidates } = resolved;
  throw new Problem(
    "from_required",
    candidates.length === 0
      ? "Nobody is known to hold a role that may do this. Name the account that will send it as from."
      : `You do not hold a role that may do this, nor does exactly one Safe for which you sign. Name the account that will send it as from: ${candidates.join(", ")}.`,
    { candidates },
  );
}

function roleHeld({ who }: Action, allowed: readonly Address[] | null, { address }: Sender): Precondition[] {
  if (allowed === null) return [];
  const roles = who.join(" or ");
  return [
    must(
      allowed.includes(address),
      `${address} is ${roles}.`,
      `${address} is not ${roles} of the vault, who alone may do this.`,
    ),
  ];
}

interface MaybeTold {
  foretelling: Foretelling | null;
  reason: string | null;
}

async function foretell(
  { log }: PrepareParts,
  standing: Standing,
  deadline: AbortSignal,
  asked: Parameters<Standing["foretell"]>[0],
): Promise<MaybeTold> {
  try {
    const told = standing.foretell(asked, deadline);
    return {
      foretelling: await within(deadline, told, "The calls were not simulated in time."),
      reason: null,
    };
  } catch (error) {
    if (error instanceof Problem && error.code === "service_unavailable")
      return { foretelling: null, reason: error.message };
    if (!isChainFault(error)) throw error;
    log.warn({ err: error }, "an action could not be simulated");
    return { foretelling: null, reason: `The chain's node did not simulate the calls (${error.code}).` };
  }
}

/** What the node is asked for, until it has had its time. @throws Problem `service_unavailable`, ChainFault */
async function within<T>(
  deadline: AbortSignal,
  work: Promise<T>,
  detail = "The chain's node did not answer in time.",
): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(unanswered(detail));
    if (deadline.aborted) refuse();
    else deadline.addEventListener("abort", refuse, { once: true });
  });
  late.catch(() => {});
  work.catch(() => {});
  return await Promise.race([work, late]);
}

/** The same of what nothing can be prepared without. */
async function asking<T>(deadline: AbortSignal, work: Promise<T>): Promise<T> {
  return await within(deadline, work).catch((error: unknown) => {
    throw isChainFault(error) ? unanswered(`The chain's node does not answer (${error.code}).`) : error;
  });
}

function unanswered(detail: string): Problem {
  return new Problem("service_unavailable", detail, { retryAfterSeconds: 5 });
}
