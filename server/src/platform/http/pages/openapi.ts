// The description of the API (OpenAPI 3.1), made from the schemas that the routes themselves run on: what it says is what is checked.
// Problem answers are not written by hand but follow from a route's permission, path and body.
import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { ERRORS, type ErrorCode } from "../../errors.ts";
import type { Permission } from "../../permission.ts";
import { withComponents } from "./components.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Codes of the catalogue that the handler itself throws, for the description. */
    problems?: readonly ErrorCode[];
    /** The request may be sent without its body. */
    isBodyOptional?: boolean;
  }
}

/** Options for @fastify/swagger. Register it before the routes. */
export function openApiOptions(
  version: string,
  webhooks: Record<string, object> = {},
): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "VaultOps",
        version,
        description: INTRODUCTION,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/" }],
      components: { securitySchemes: SECURITY_SCHEMES, schemas: { Problem: PROBLEM } },
    },
    transform: ({ schema, url, route }: RouteToDescribe) => ({
      url,
      schema: describe(schema, url, [route.method].flat()[0] ?? "GET", route.config ?? {}, route.bodyLimit),
    }),
    transformObject: ({ openapiObject }: { openapiObject: OpenApi }) =>
      withComponents({
        ...addProblems(openapiObject),
        ...(Object.keys(webhooks).length > 0 && { webhooks: forReaders(webhooks) as object }),
      }),
  } as unknown as FastifyDynamicSwaggerOptions;
}

/** The text of openapi.json. The app must be ready. */
export function renderOpenApi(app: FastifyInstance): string {
  return `${printed(app.swagger(), "")}\n`;
}

const LINE_WIDTH = 120;

/** JSON for people: what fits into a line stands in one. */
function printed(value: unknown, indent: string): string {
  const line = lineOf(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= LINE_WIDTH) return line;
  const within = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one) => printed(one, within))
    : membersOf(value).map(([key, one]) => `${JSON.stringify(key)}: ${printed(one, within)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${within}${parts.join(`,\n${within}`)}\n${indent}${close}`;
}

function lineOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(lineOf).join(", ")}]`;
  const parts = membersOf(value).map(([key, one]) => `${JSON.stringify(key)}: ${lineOf(one)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, one]) => one !== undefined);
}

const INTRODUCTION = [
  "Operations back end for onchain yield vaults. A vault is named by its chain and address.",
  "Names are in snake_case. Addresses are accepted in any case and answered checksummed (EIP-55). Times are answered in RFC 3339 UTC with six fractional digits. Onchain integers are decimal strings in raw units; a value that is not known is null.",
  "Errors are problem documents (RFC 9457); decide by `code`. GET answers carry an `ETag`; send it as `If-None-Match` to get 304 when nothing changed. Every GET also answers HEAD. The `RateLimit` and `RateLimit-Policy` headers show the quotas. An operation with `x-recorded` is written to the audit log and has a smaller quota of its own. A body has at most 32 KiB, or `x-max-body-bytes` of its operation. `X-Request-Id` is echoed, or generated where it is missing.",
  "A request is checked in this order: 401; 400 of path and query; 404 of the chain or vault in the path; 403; 413, 415 and 400 of the body; 404 and 403 of what the body names; 409.",
].join("\n\n");

const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A JWT of a trusted identity provider; `GET /api/v1/auth/config` names them.",
  },
  ingest: { type: "http", scheme: "bearer", description: "An ingest token of an engine." },
} as const;

const PROBLEM = {
  type: "object",
  description: "A problem document (RFC 9457).",
  required: ["type", "title", "status", "detail", "code", "request_id"],
  properties: {
    type: { type: "string", description: "URL of the code's documentation." },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What is wrong and what to do, for people." },
    code: {
      type: "string",
      description: "What to decide by. Codes may be added.",
      examples: ["invalid_request"],
    },
    request_id: { type: "string" },
    errors: {
      type: "array",
      description: "The faults of a request, each with its place.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
} as const;

interface RouteToDescribe {
  schema: RouteSchema | undefined;
  url: string;
  route: { method: string | string[]; config?: RouteConfig; bodyLimit?: number };
}

interface RouteSchema {
  hide?: boolean;
  operationId?: string;
  params?: object;
  querystring?: object;
  body?: object;
  response?: Record<string, object>;
  [key: string]: unknown;
}

interface RouteConfig {
  permission?: Permission;
  rateLimit?: string;
  isRecorded?: boolean;
  isBodyOptional?: boolean;
  problems?: readonly ErrorCode[];
}

function describe(
  schema: RouteSchema | undefined,
  url: string,
  method: string,
  config: RouteConfig,
  bodyLimit?: number,
): RouteSchema {
  if (schema === undefined || schema.hide === true) return { hide: true };
  const { permission } = config;
  const security =
    permission === "public" ? [] : permission === "ingest" ? [{ ingest: [] }] : [{ bearer: [] }];
  const plain = forReaders({ ...schema, transform: undefined }) as RouteSchema;
  return {
    ...plain,
    ...(plain.querystring === undefined ? {} : { querystring: withDefaultsOptional(plain.querystring) }),
    ...(plain.body === undefined ? {} : { body: withDefaultsOptional(plain.body) }),
    operationId: schema.operationId ?? operationIdOf(method, url, schema.deprecated === true),
    security,
    "x-permission": permission,
    ...(plain.body === undefined || bodyLimit === undefined ? {} : { "x-max-body-bytes": bodyLimit }),
    ...(config.isRecorded === true ? { "x-recorded": true } : {}),
    "x-body-optional": config.isBodyOptional === true,
    "x-problems": problemsOf(schema, url, method, config),
  } as RouteSchema;
}

/** `GET /api/v1/vaults/:chain_id/:address/pps` → `getVaultsByChainIdByAddressPps`; an older form is told apart by its name. */
function operationIdOf(method: string, url: string, isOlder: boolean): string {
  const words = url
    .replace(/^\/api\/v1/, "")
    .replace(/:(\w+)/g, "by-$1")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  return (
    method.toLowerCase() +
    (isOlder ? "OlderForm" : "") +
    words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join("")
  );
}

function problemsOf(schema: RouteSchema, url: string, method: string, config: RouteConfig): ErrorCode[] {
  const { permission } = config;
  const input = JSON.stringify([schema.params, schema.querystring, schema.body]);
  const isOpen = permission === "public" || permission === "ingest";
  const isWrite = method !== "GET";
  const namesVault = /:vault_id\b|:chain_id\/:(?:vault_address|address|vault)\b/.test(url);
  const filters = Object.keys((schema.querystring as { properties?: object } | undefined)?.properties ?? {});
  const filtersChain = filters.includes("chain_id") || filters.includes("vault_id");
  const filtersVault = filters.includes("vault_address") || filters.includes("vault_id");
  const codes: (ErrorCode | false)[] = [
    "invalid_request",
    input.includes('"x-address"') && "invalid_address",
    input.includes('"x-vault-id"') && "invalid_vault_id",
    input.includes('"x-timestamp"') && "invalid_timestamp",
    // A body is read wherever one is sent, and judged even where none is needed.
    isWrite && "invalid_json",
    permission !== "public" && "invalid_token",
    (["vault_member", "vault_manager", "vault_operator", "any_operator"].includes(permission ?? "") ||
      (permission === "own_vaults" && filtersVault)) &&
      "insufficient_role",
    !isOpen && isWrite && "insufficient_scope",
    (namesVault || filtersChain) && "chain_not_found",
    (namesVault || filtersVault) && "vault_not_found",
    isWrite && "body_too_large",
    isWrite && "unsupported_media_type",
    config.rateLimit !== "none" && "rate_limited",
    "internal_error",
    "service_unavailable",
  ];
  return [...new Set([...codes.filter((code) => code !== false), ...(config.problems ?? [])])];
}

/** The service's own keywords as what readers and generators of clients understand. */
function forReaders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forReaders);
  if (typeof value !== "object" || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === "x-address") result.pattern = "^0[xX][0-9a-fA-F]{40}$";
    else if (key === "x-vault-id") result.pattern = "^[1-9][0-9]{0,15}:0[xX][0-9a-fA-F]{40}$";
    else if (key === "patternProperties" && Object.hasOwn(inner, "^.*$"))
      result.additionalProperties = forReaders(inner["^.*$"]);
    else if (key !== "x-timestamp" && key !== "x-period") result[key] = forReaders(inner);
  }
  return result;
}

/** What has a default may be left out of a request, though the handler always finds it. */
function withDefaultsOptional(schema: object): object {
  const { required, properties } = schema as { required?: string[]; properties?: Record<string, object> };
  if (required === undefined) return schema;
  return {
    ...schema,
    required: required.filter((name) => !Object.hasOwn(properties?.[name] ?? {}, "default")),
  };
}

interface Operation {
  responses: Record<string, unknown>;
  requestBody?: { required?: boolean };
  "x-body-optional"?: boolean;
  "x-problems"?: ErrorCode[];
}

interface OpenApi {
  paths?: Record<string, Record<string, Operation>>;
}

/** Puts one response for each status that a route's problems have, its codes in the description. */
function addProblems(document: OpenApi): OpenApi {
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(path)) {
      const codes = operation["x-problems"] ?? [];
      delete operation["x-problems"];
      // The describing plugin takes every body for required.
      if (operation["x-body-optional"] && operation.requestBody) operation.requestBody.required = false;
      delete operation["x-body-optional"];
      for (const response of Object.values(operation.responses) as { description?: string }[]) {
        if (response.description === "Default Response") response.description = "Success";
      }
      for (const [status, of] of Object.entries(
        Object.groupBy(codes, (code) => String(ERRORS[code].status)),
      )) {
        operation.responses[status] ??= {
          description: (of ?? []).map((code) => `\`${code}\``).join(", "),
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        };
      }
    }
  }
  return document;
}
