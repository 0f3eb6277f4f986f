// What an action comes to as the chain is now: from whom its calls go, the calls themselves, and what must hold for them, each question within the
// time that the node has in all.
import type { Address } from "viem";
import type {
  Action,
  ActionContext,
  ActionPlan,
  Precondition,
} from "../../../chain/families/family/action.ts";
import { must } from "../../../chain/families/family/action-call.ts";
import type { Json } from "../../../chain/governance.ts";
import { isChainFault } from "../../../chain/rpc/fault.ts";
import { Problem } from "../../../platform/errors.ts";
import type { Foreteller, Standing } from "./foreteller.ts";
import { mayDo, resolveSender, type Sender, senderOf } from "./sender.ts";

/** On which vault, for which wallet, and from whom where that is named. */
export interface AskedOf {
  chainId: number;
  vaultAddress: Address;
  wallet: Address;
  from: Address | null;
}

export interface Planned {
  sender: Sender;
  plan: ActionPlan;
  preconditions: readonly Precondition[];
}

/** @throws Problem `action_not_possible`, `service_unavailable` */
export async function standingFor(
  foreteller: Foreteller,
  { chainId, vaultAddress }: AskedOf,
  deadline: AbortSignal,
): Promise<Standing> {
  const standing = await asking(deadline, foreteller.stand(chainId, vaultAddress));
  if (standing) return standing;
  throw new Problem(
    "action_not_possible",
    "The vault's source is not configured any more: nothing of it is followed.",
  );
}

/** @throws Problem `from_required`, `action_not_possible`, `service_unavailable` */
export async function planOf(
  foreteller: Foreteller,
  asked: AskedOf,
  { action, values }: { action: Action; values: Readonly<Record<string, Json>> },
  standing: Standing,
  deadline: AbortSignal,
): Promise<Planned> {
  const context = { ...standing, parameters: values };
  const allowed = await asking(deadline, allowedFor(action, context));
  const sender = await asking(deadline, senderFor(foreteller, asked, standing, allowed));
  const plan = await asking(deadline, action.plan({ ...context, from: sender.address }));
  const preconditions: Precondition[] = [...roleHeld(action, allowed, sender), ...plan.preconditions];
  const broken = preconditions.find(({ ok }) => !ok);
  if (broken)
    throw new Problem("action_not_possible", broken.reason ?? broken.text, {
      preconditions: preconditions.map(({ ok, text }) => ({ ok, text })),
    });
  return { sender, plan, preconditions };
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
  foreteller: Foreteller,
  { wallet, from, chainId }: AskedOf,
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

/** What the node is asked for, until it has had its time. @throws Problem `service_unavailable`, ChainFault */
export async function within<T>(
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
