// What the actions of a SuperVault share: whom they call, and the pair of cancelling and carrying out a proposal.
import { type Address, zeroAddress } from "viem";
import type { PendingChange } from "../../reading.ts";
import type { Action, ActionCall, ActionContext } from "../family/action.ts";
import { action, callOf, fn, must, timeText } from "../family/action-call.ts";

export const PRIMARY = ["primary_manager"];
export const MANAGERS = ["primary_manager", "secondary_manager"];

export function strategyOf({ vault }: Pick<ActionContext, "vault">): Address {
  return vault.strategy ?? zeroAddress;
}

/** A function of the aggregator, whose first argument is the strategy. */
export function aggregatorCall(context: ActionContext, signature: string, ...args: unknown[]): ActionCall {
  return callOf(context.vault.source.address, signature, [strategyOf(context), ...args]);
}

export function strategyCall(context: ActionContext, signature: string, ...args: unknown[]): ActionCall {
  return callOf(strategyOf(context), signature, args);
}

export function pendingOf(
  { reading }: ActionContext,
  kind: PendingChange["kind"],
): PendingChange | undefined {
  return reading.pendingChanges.find((change) => change.kind === kind);
}

interface Step {
  name: string;
  who: readonly string[];
  on: "aggregator" | "strategy";
  signature: string;
  /** After the strategy, where it is the aggregator's. */
  args: readonly unknown[];
}

/** What may be done to a proposal that a view tells. */
export function proposal({
  kind,
  what,
  cancel,
  execute,
}: {
  kind: PendingChange["kind"];
  what: string;
  cancel?: Step;
  execute: Step;
}): Action[] {
  const call = (context: ActionContext, { on, signature, args }: Step) =>
    (on === "aggregator" ? aggregatorCall : strategyCall)(context, signature, ...args);
  const isProposed = (context: ActionContext) =>
    must(pendingOf(context, kind) !== undefined, "It is proposed.", "Nothing of the kind is proposed.");
  const functions = ({ on, signature }: Step) => [fn(on, signature)];
  return [
    ...(cancel === undefined
      ? []
      : [
          action({
            name: cancel.name,
            title: `Cancel ${what}`,
            description: "It is as if it had not been proposed.",
            who: cancel.who,
            deRisks: true,
            functions: functions(cancel),
            plan: async (context) => ({
              calls: [call(context, cancel)],
              preconditions: [isProposed(context)],
            }),
          }),
        ]),
    action({
      name: execute.name,
      title: `Carry out ${what}`,
      description: "Once its time has come.",
      who: execute.who,
      functions: functions(execute),
      plan: async (context) => {
        const dueAt = pendingOf(context, kind)?.effectiveAt ?? null;
        return {
          calls: [call(context, execute)],
          preconditions: [
            isProposed(context),
            must(
              dueAt !== null && dueAt <= context.block.timestamp,
              "Its time has come.",
              dueAt === null
                ? "Nothing of the kind is proposed."
                : `Its time has not come: it can be carried out from ${timeText(dueAt)} on.`,
            ),
          ],
        };
      },
    }),
  ];
}
