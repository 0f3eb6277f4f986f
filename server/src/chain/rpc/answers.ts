// What a node's JSON says to the requests that were sent: the result of one, or the answers of a batch by the order of its requests.
import { MalformedAnswer } from "./raw.ts";
import { toRpcError } from "./rpc-error.ts";

/** A node's answer to one request, as far as it is looked at. */
export interface Answer {
  id?: unknown;
  result?: unknown;
  error?: unknown;
}

/** The result of the request with that id. @throws RpcError for the node's own error, MalformedAnswer for what is no answer to it */
export function resultOf(method: string, answer: unknown, id: number): unknown {
  const object = (Array.isArray(answer) ? answer[0] : answer) as Answer;
  if (typeof object !== "object" || object === null) throw new MalformedAnswer("JSON-RPC answer");
  if (object.error !== undefined && object.error !== null) throw toRpcError(method, object.error);
  if (object.id !== id || !("result" in object)) throw new MalformedAnswer("JSON-RPC answer to this request");
  return object.result;
}

/** The answers by the order of their requests; undefined where the node left one out. */
export function inOrder(answers: unknown[], firstId: number, count: number): (Answer | undefined)[] {
  const ordered: (Answer | undefined)[] = new Array(count).fill(undefined);
  for (const answer of answers as (Answer | null)[]) {
    if (typeof answer !== "object" || answer === null || typeof answer.id !== "number") continue;
    const index = answer.id - firstId;
    if (index < 0 || index >= count) continue;
    if (answer.error !== undefined && answer.error !== null) ordered[index] = { error: answer.error };
    else if ("result" in answer) ordered[index] = { result: answer.result };
  }
  return ordered;
}
