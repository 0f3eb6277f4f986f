// CloudEvents 1.0 in structured JSON, read into reports. What comes in is hostile: every attribute and every member of `data` is
// checked by one schema per type, compiled once, and texts leave in their canonical form.
//
// https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md and …/formats/json-format.md
import { type TObject, Type } from "typebox";
import type { ErrorCode, FieldError } from "../platform/errors.ts";
import { ERRORS, type Problem } from "../platform/errors.ts";
import { TimestampParam, VaultIdParam } from "../platform/http/schemas.ts";
import { buildValidatorCompiler } from "../platform/http/validate.ts";
import { parseVaultId } from "../vault.ts";
import { EVENT_TYPES, type EventDefinition, type EventType } from "./events.ts";
import type { Report } from "./handler.ts";

/** Why an event was not taken: a problem document (RFC 9457) without what belongs to a response. */
export interface EventProblem {
  code: ErrorCode;
  title: string;
  status: number;
  detail: string;
  errors?: FieldError[];
}

export type ReadEvent = { report: Report<EventType> } | { problem: EventProblem };

/** The documentation's schema of an event: the attributes, and `data` by type. */
export function cloudEventSchema(type: EventType): TObject {
  const definition: EventDefinition = EVENT_TYPES[type];
  const subject = { ...VaultIdParam, description: "The vault id, `{chain_id}:{vault_address}`." };
  return Type.Object(
    {
      specversion: Type.Unsafe<"1.0">({ type: "string", enum: ["1.0"] }),
      id: Type.String({ minLength: 1, maxLength: 255, description: "Identifies a repeated report." }),
      source: Type.String({
        minLength: 1,
        maxLength: 255,
        description: "The source that the token is bound to.",
      }),
      type: Type.Unsafe<EventType>({ type: "string", enum: [type] }),
      time: TimestampParam,
      subject: definition.subject === "vault" ? subject : Type.Optional(subject),
      datacontenttype: Type.Optional(
        Type.String({ pattern: JSON_TYPE, description: "`application/json` where given." }),
      ),
      dataschema: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
      data: definition.data,
    },
    { title: definition.title, description: definition.description, examples: [exampleOf(type)] },
  );
}

/** Reads one event. Never throws, whatever it is given; does not ask whether the vault exists. */
export function readEvent(value: unknown): ReadEvent {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: problemOf("invalid_event", "An event is a JSON object.") };
  // A null attribute counts as not set (JSON format, 2.2).
  const event = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
  const { type } = event;
  if (typeof type !== "string" || !Object.hasOwn(EVENT_TYPES, type)) {
    const named =
      typeof type === "string" ? `There is no event type ${JSON.stringify(type.slice(0, 100))}.` : "";
    const detail = named || "type is missing, or no text.";
    return {
      problem: problemOf("invalid_event", detail, [{ path: "/type", message: "is not a known type" }]),
    };
  }
  const stray = strayMember(event);
  if (stray !== null)
    return { problem: problemOf("invalid_event", `${stray.path.slice(1)} ${stray.message}.`, [stray]) };
  const { data } = EVENT_TYPES[type as EventType] as EventDefinition;
  const outcome = VALIDATORS[type as EventType]({ ...event, data: withoutNulls(data, event.data) });
  if ("error" in outcome) {
    const { message, extra } = outcome.error;
    return { problem: problemOf("invalid_event", message, extra.errors) };
  }
  return { report: reportOf(("value" in outcome ? outcome.value : event) as ValidEvent) };
}

/** The problem of an event, from the catalogue. */
export function problemOf(code: ErrorCode, detail: string, errors?: FieldError[]): EventProblem {
  const { title, status } = ERRORS[code];
  return { code, title, status, detail, ...(errors === undefined ? {} : { errors }) };
}

const JSON_TYPE = "^application/json(\\s*;.*)?$";
const DEFINED = new Set([
  "specversion",
  "id",
  "source",
  "type",
  "time",
  "subject",
  "datacontenttype",
  "dataschema",
  "data",
]);
const EXTENSION_NAME = /^[a-z0-9]+$/;

interface ValidEvent {
  id: string;
  source: string;
  type: EventType;
  time: string;
  subject?: string;
  data: never;
}

type Validator = (event: unknown) => { value: unknown } | { error: Problem };

const compiler = buildValidatorCompiler();
const VALIDATORS = Object.fromEntries(
  (Object.keys(EVENT_TYPES) as EventType[]).map((type) => [
    type,
    compiler({ schema: cloudEventSchema(type), method: "POST", url: "/", httpPart: "body" }),
  ]),
) as unknown as Record<EventType, Validator>;

/** A member that is neither an attribute of the specification nor an extension by its rules of naming and typing. */
function strayMember(event: Record<string, unknown>): FieldError | null {
  for (const [name, value] of Object.entries(event)) {
    if (DEFINED.has(name)) continue;
    const path = `/${name.slice(0, 100)}`;
    if (name === "data_base64") return { path, message: "is not taken: send data as JSON" };
    if (!EXTENSION_NAME.test(name))
      return { path, message: "is not the name of an extension (lower-case letters and digits)" };
    if (typeof value === "object") return { path, message: "is no value of an extension" };
  }
  return null;
}

/** A null member counts as left out, as many languages write one that has no value. Not in what has no schema of its own: there it is a value. */
function withoutNulls(schema: object, value: unknown): unknown {
  const { properties, required = [], items } = schema as Shape;
  if (Array.isArray(value))
    return items === undefined ? value : value.map((each) => withoutNulls(items, each));
  if (properties === undefined || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (own === undefined) return [[name, member]];
      return member === null && !required.includes(name) ? [] : [[name, withoutNulls(own, member)]];
    }),
  );
}

interface Shape {
  properties?: Record<string, object>;
  required?: string[];
  items?: object;
}

function reportOf({ type, source, id, time, subject, data }: ValidEvent): Report<EventType> {
  return { type, source, id, time, vault: subject === undefined ? null : parseVaultId(subject), data };
}

function exampleOf(type: EventType): Record<string, unknown> {
  return {
    specversion: "1.0",
    id: "0196b0a5-9d00-7000-8000-000000000001",
    source: "/engine/main",
    type,
    time: "2026-05-09T10:00:05Z",
    subject: "8453:0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698",
    datacontenttype: "application/json",
    data: EVENT_TYPES[type].example,
  };
}
