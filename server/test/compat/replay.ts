// Requests that were recorded against a release, asked again of the service as it is, and what a client would miss in the answers.
import type { Caller, ContractWorld } from "../contract-world.ts";

/** Names of members with the types of their values; a list has the shape of all its items together. */
export type Shape = string | [] | [Shape] | { [member: string]: Shape };

export interface Recorded {
  as: Caller;
  /** Method and path; `{name}` stands for what the world or an earlier answer holds under that name. */
  request: string;
  body?: unknown;
  /** What later requests need of the answer: their name for it, and where it stands. */
  keep?: Record<string, string>;
  status: number;
  /** Null where the answer has no body, or none of JSON. */
  shape: Shape | null;
}

export interface Replayed {
  status: number;
  body: unknown;
}

/** Asks one request; `known` holds what stands for its names, and gains what is kept. */
export async function replay(
  world: Pick<ContractWorld, "ask">,
  { as, request, body, keep = {} }: Recorded,
  known: Map<string, string>,
): Promise<Replayed> {
  const filled = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = known.get(name);
      if (value === undefined) throw new Error(`nothing stands for {${name}} in ${request}`);
      return value;
    });
  const [method = "", path = ""] = filled(request).split(" ");
  const sent = body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body)));
  const response = await world.ask(as, method, path, sent);
  const isJson = /^application\/(problem\+)?json/.test(response.headers.get("content-type") ?? "");
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  const answer: unknown = isJson && text !== "" ? JSON.parse(text) : null;
  for (const [name, place] of Object.entries(keep)) known.set(name, String(memberAt(answer, place)));
  return { status: response.status, body: answer };
}

export function shapeOf(value: unknown): Shape {
  if (value === null) return "null";
  if (Array.isArray(value)) {
    const [first, ...others] = value.map(shapeOf);
    return first === undefined ? [] : [others.reduce(together, first)];
  }
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

/** What stood in an answer of before and does not in today's: dotted places, each with what is wrong. */
export function lost(before: Shape, today: Shape, place = ""): string[] {
  if (before === "null" || today === "null" || typeof before === "string") {
    const isSame = before === today || before === "null" || today === "null";
    return isSame ? [] : [`${place}: was ${before}, is ${kindOf(today)}`];
  }
  if (kindOf(before) !== kindOf(today)) return [`${place}: was ${kindOf(before)}, is ${kindOf(today)}`];
  if (Array.isArray(before)) {
    const [was] = before;
    const [is] = today as [Shape?];
    if (was === undefined) return [];
    return is === undefined ? [`${place}[]: is empty`] : lost(was, is, `${place}[]`);
  }
  return Object.entries(before).flatMap(([name, was]) => {
    const is = (today as Record<string, Shape>)[name];
    return is === undefined ? [`${place}.${name}: is missing`] : lost(was, is, `${place}.${name}`);
  });
}

function together(one: Shape, other: Shape): Shape {
  if (one === "null") return other;
  if (other === "null" || kindOf(one) !== kindOf(other) || typeof one === "string") return one;
  if (Array.isArray(one)) {
    const [mine, others] = [one[0], (other as [Shape?])[0]];
    if (mine === undefined) return other;
    return others === undefined ? one : [together(mine, others)];
  }
  const merged: Record<string, Shape> = { ...one };
  for (const [name, member] of Object.entries(other as Record<string, Shape>))
    merged[name] = merged[name] === undefined ? member : together(merged[name], member);
  return merged;
}

function kindOf(shape: Shape): string {
  return typeof shape === "string" ? shape : Array.isArray(shape) ? "a list" : "an object";
}

function memberAt(value: unknown, place: string): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: the place says what it is
  return place.split(".").reduce((at: any, name) => at?.[name], value);
}
