// What a Yearn V3 vault's events say and no view lists: who was given roles, and which strategies there are beside the queue.
import type { StoredFact } from "../../facts.ts";
import type { TrackedChange } from "../../governance.ts";

const ADDED = "1";

export function track({ body }: StoredFact): TrackedChange[] {
  if (body.kind !== "governance") return [];
  const { account, role, strategy, change_type } = body.args;
  switch (body.event) {
    case "RoleSet":
      return [{ list: "role", key: account as string, value: role === "0" ? null : { roles: role! } }];
    case "StrategyChanged":
      return [{ list: "strategy", key: strategy as string, value: change_type === ADDED ? {} : null }];
    default:
      return [];
  }
}
