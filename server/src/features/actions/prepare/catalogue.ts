// What may be done to a vault: the actions of its family, and those of the timelocks behind its roles, each with whether the caller can.
import type { Address } from "viem";
import { CONTROLLER_ACTIONS } from "../../../chain/controllers/actions.ts";
import type { Action } from "../../../chain/families/family/action.ts";
import type { Families, FamilyName } from "../../../chain/families/family/family.ts";
import { parametersSchema } from "../../../chain/families/family/parameters.ts";
import type { Json } from "../../../chain/governance.ts";
import { dispatchSchema } from "./derisking.ts";
import { type Holders, whyNot } from "./sender.ts";

export interface Offer {
  action: string;
  title: string;
  description: string;
  who: string[];
  parameters: Record<string, Json>;
  dispatch_parameters: Record<string, Json> | null;
  is_timelocked: boolean;
  delay_seconds: number | null;
  can_do: boolean;
  why_not: string | null;
}

/** In the order in which they are shown. */
export function actionsOf(families: Families, family: string, { controllers }: Holders): readonly Action[] {
  const own = families[family as FamilyName]?.actions ?? [];
  const hasTimelock = controllers.some(({ state }) => state?.kind === "timelock");
  return hasTimelock ? [...own, ...CONTROLLER_ACTIONS] : own;
}

/** `delays` by action, in seconds, as far as they are known. */
export function catalogueOf(
  actions: readonly Action[],
  wallet: Address,
  holders: Holders,
  delays: ReadonlyMap<string, number | null>,
): Offer[] {
  return actions.map((action) => {
    const reason = whyNot(wallet, action, holders);
    return {
      action: action.name,
      title: action.title,
      description: action.description,
      who: [...action.who],
      parameters: parametersSchema(action.parameters),
      dispatch_parameters: dispatchSchema(action),
      is_timelocked: action.isTimelocked,
      delay_seconds: delays.get(action.name) ?? null,
      can_do: reason === null,
      why_not: reason,
    };
  });
}
