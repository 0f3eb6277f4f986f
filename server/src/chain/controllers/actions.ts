// What may be done to the timelocks behind a vault's roles: a scheduled operation is cancelled.
import type { Action, ActionContext } from "../families/family/action.ts";
import { action, callOf, fn, given, must } from "../families/family/action-call.ts";

export const CONTROLLER_ACTIONS: readonly Action[] = [
  action({
    name: "cancel_scheduled_operation",
    title: "Cancel an operation scheduled in a timelock",
    description: "It can never be executed then, unless it is scheduled again.",
    who: ["canceller"],
    deRisks: true,
    parameters: {
      operation_id: {
        kind: "bytes32",
        title: "Operation",
        description: "The `id` of the pending change, as far as the colon.",
        waits: "operation",
      },
    },
    functions: [fn("timelock", "cancel(bytes32 id)", { id: { label: "Operation", kind: "bytes32" } })],
    holders: async (context) => waitingIn(context)?.timelock.holders?.canceller ?? [],
    plan: async (context) => {
      const found = waitingIn(context);
      const id = given(context, "operation_id");
      return {
        calls: found ? [callOf(found.address, "cancel(bytes32 id)", [id])] : [],
        preconditions: [
          must(
            found !== null,
            "The operation waits in a timelock behind the vault's roles.",
            "No operation with that id waits in a timelock behind the vault's roles.",
          ),
        ],
      };
    },
  }),
];

function waitingIn(context: Pick<ActionContext, "controllers" | "parameters">) {
  const id = given(context, "operation_id");
  for (const { address, state } of context.controllers) {
    const timelock = state?.timelock ?? null;
    if (timelock?.operations.some((operation) => operation.id === id)) return { address, timelock };
  }
  return null;
}
