// The description of the whole API, all features on.
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it } from "vitest";
import { describeFeatures } from "./features.ts";

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  requestBody?: Body & { required?: boolean };
  tags?: string[];
  parameters?: { name: string; in: string; description?: string }[];
  responses: Record<string, Body & { description: string }>;
}

interface Body {
  content?: Record<string, { schema?: Schema }>;
}

interface Schema {
  $ref?: string;
  items?: Schema;
  anyOf?: Schema[];
}

let document: {
  openapi: string;
  components: { schemas: object };
  paths: Record<string, Record<string, Operation>>;
};
let operations: [string, Operation][];
beforeAll(async () => {
  document = JSON.parse(await describeFeatures());
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  );
});

describe("openapi.json", () => {
  it("is valid OpenAPI 3.1", async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    expect(document.openapi).toBe("3.1.0");
  });

  it("describes every operation: an id of its own, a summary, a tag, what it answers", () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const [name, operation] of operations) {
      expect(operation.summary, name).toBeTruthy();
      expect(operation.tags, name).toHaveLength(1);
      expect(
        Object.keys(operation.responses).some((status) => /^[23]/.test(status)),
        name,
      ).toBe(true);
      for (const { description } of Object.values(operation.responses))
        expect(description, name).toBeTruthy();
    }
  });

  it("names the schema of each JSON body that is sent or answered, or of a list's items", () => {
    const isNamed = ({ $ref, items, anyOf }: Schema): boolean =>
      $ref !== undefined || (items !== undefined && isNamed(items)) || (anyOf?.every(isNamed) ?? false);
    const bodies = operations.flatMap(([name, { requestBody, responses }]) =>
      [requestBody, ...Object.values(responses)].flatMap((body) =>
        Object.entries(body?.content ?? {}).map(([type, { schema }]) => ({ name, type, schema })),
      ),
    );
    const unnamed = bodies.filter(({ type, schema }) => type.endsWith("json") && schema && !isNamed(schema));
    expect(unnamed.filter(({ type }) => type !== "application/x-ndjson").map(({ name }) => name)).toEqual([]);
    expect(document.components.schemas).toMatchObject({ AuditEntry: {}, Vault: {}, Alert: {}, Problem: {} });
  });

  it("holds the paths that the specification names, under their own names", () => {
    for (const path of [
      "/api/v1/auth/me",
      "/api/v1/auth/verify",
      "/api/v1/public/vaults",
      "/api/v1/registry/token-assets",
      "/api/v1/audit/logs",
      "/api/v1/vaults/{chain_id}/{address}",
    ]) {
      expect(document.paths).toHaveProperty([path, "get"]);
    }
  });

  it("says which body may be left out", () => {
    const optional = operations.filter(([, { requestBody }]) => requestBody?.required === false);
    expect(optional.map(([name]) => name)).toEqual([
      "post /api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}",
    ]);
  });

  it.each([
    ["/api/v1/vaults/{chain_id}/{address}", "15 s"],
    ["/api/v1/vaults/{chain_id}/{vault}/services", "30 s"],
    ["/api/v1/services/status", "30 s"],
    ["/api/v1/audit/logs", "60 s"],
    ["/api/v1/fulfill-redeems/executions", "60 s"],
  ])("says how often %s is polled: every %s", (path, interval) => {
    expect(document.paths[path]?.get?.description).toMatch(new RegExp(`[Ee]very ${interval}`));
  });
});
