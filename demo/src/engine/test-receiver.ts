/** A service that only takes reports in, for tests: it keeps what came, and what of it no published schema allows. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { EngineEvents } from "../../../sdk/src/engine-events.ts";
import type { CloudEvent, EventType } from "../../../sdk/src/report.ts";

const SCHEMAS = new URL("../../../schemas/events/", import.meta.url);

export interface Receiver {
  readonly url: string;
  /** In the order in which they came, each once. */
  readonly events: readonly CloudEvent[];
  /** Events that came again under the same id. */
  readonly doubled: readonly CloudEvent[];
  readonly faults: readonly string[];
  /** The data of all events of a type, with the vault. */
  of<T extends EventType>(type: T): { vault: string | undefined; time: string; data: EngineEvents[T] }[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const validators = loadValidators();
  const events: CloudEvent[] = [];
  const doubled: CloudEvent[] = [];
  const faults: string[] = [];
  const ids = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const batch = JSON.parse(Buffer.concat(chunks).toString()) as CloudEvent[];
      for (const event of batch) {
        const validate = validators.get(event.type);
        if (!validate?.(event.data))
          faults.push(`${event.type}: ${JSON.stringify(validate?.errors)} ${JSON.stringify(event.data)}`);
        (ids.has(event.id) ? doubled : events).push(event);
        ids.add(event.id);
      }
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ results: batch.map(({ source, id }) => ({ source, id, status: "accepted" })) }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    doubled,
    faults,
    of: (type) =>
      events
        .filter((event) => event.type === type)
        .map(({ subject, time, data }) => ({ vault: subject, time, data: data as never })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function loadValidators(): Map<string, ValidateFunction> {
  const ajv = new Ajv2020({ strict: false });
  return new Map(
    readdirSync(SCHEMAS)
      .filter((name) => name.endsWith(".json"))
      .map((name) => [
        name.slice(0, -".json".length),
        ajv.compile(JSON.parse(readFileSync(new URL(name, SCHEMAS), "utf8"))),
      ]),
  );
}
