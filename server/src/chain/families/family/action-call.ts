// Calls for actions, and the small words that their tables are written in.
import { type Abi, type Address, encodeFunctionData, parseAbiItem } from "viem";
import type { Json } from "../../governance.ts";
import type { Action, ActionCall, ActionContext, ActionFunction, Parameter, Precondition } from "./action.ts";
import { callTable, decodeCall } from "./call.ts";

/** A call of a function by its signature, with its arguments told by name. */
export function callOf(to: Address, signature: string, args: readonly unknown[]): ActionCall {
  const abi = [parseAbiItem(`function ${signature}`)] as Abi;
  const functionName = signature.slice(0, signature.indexOf("("));
  const data = encodeFunctionData({ abi, functionName, args: [...args] });
  const told = decodeCall(callTable([signature]), to, data);
  return { to, value: 0n, data, function: functionName, arguments: told.arguments ?? {} };
}

/** `text` is true when it holds, `reason` says why the action is not possible where it does not. */
export function must(ok: boolean, text: string, reason: string): Precondition {
  return ok ? { ok, text } : { ok, text, reason };
}

/** A parameter in canonical form; its kind is held by `readParameters`. */
export function given<T extends Json = string>(
  { parameters }: Pick<ActionContext, "parameters">,
  name: string,
): T {
  return parameters[name] as T;
}

export function givenNumber(context: Pick<ActionContext, "parameters">, name: string): bigint {
  return BigInt(given(context, name));
}

export const address = (title: string, description?: string): Parameter => ({
  kind: "address",
  title,
  ...(description === undefined ? {} : { description }),
});

/** The function's signature with the labels of its parameters, each of one kind. */
export function fn(
  contract: ActionFunction["contract"],
  signature: string,
  fields: ActionFunction["fields"] = {},
): ActionFunction {
  return { contract, signature, fields };
}

/** The members of an action that most have alike. */
export function action(
  described: Omit<Action, "isTimelocked" | "parameters"> &
    Partial<Pick<Action, "isTimelocked" | "parameters">>,
): Action {
  return { isTimelocked: false, parameters: {}, ...described };
}

/** When something became or becomes possible: a time in a sentence. */
export function timeText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
