// openapi.json with every reference replaced by what it refers to, with what is said beside it.
import openapi from "../../openapi.json" with { type: "json" };

type Json = Record<string, unknown>;

const components = openapi.components.schemas as Record<string, unknown>;

function inlined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inlined);
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...beside } = value as Json;
  const plain = Object.fromEntries(Object.entries(beside).map(([key, one]) => [key, inlined(one)]));
  return typeof $ref === "string" ? { ...(componentAt($ref) as Json), ...plain } : plain;
}

function componentAt(reference: string): unknown {
  const name = reference.replace("#/components/schemas/", "");
  if (!Object.hasOwn(components, name)) throw new Error(`${reference} leads nowhere`);
  return inlined(components[name]);
}

export const DESCRIPTION = inlined(openapi) as typeof openapi;
