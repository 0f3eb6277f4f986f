// Reports to the demo's service as its engine does, so that a test makes happen what it looks for.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ENGINE_SOURCE } from "../../demo/src/engine/engine.ts";
import type { Stack } from "./stack.ts";

export interface Report {
  type: string;
  /** A vault id. */
  subject: string;
  data: Record<string, unknown>;
}

const BATCH = 1000;
let made = 0;

/** Reports events, in batches; throws where one is not accepted. */
export async function report(stack: Stack, reports: readonly Report[]): Promise<void> {
  const token = (await readFile(join(stack.dataDir, "ingest-token"), "utf8")).trim();
  for (let at = 0; at < reports.length; at += BATCH) {
    const events = reports.slice(at, at + BATCH).map((one) => ({
      specversion: "1.0",
      id: `console-${process.pid}-${Date.now()}-${made++}`,
      source: ENGINE_SOURCE,
      time: new Date().toISOString(),
      ...one,
    }));
    const answer = await fetch(`${stack.url}/api/v1/ingest/events`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/cloudevents-batch+json",
      },
      body: JSON.stringify(events),
    });
    const { results } = (await answer.json()) as { results?: { status: string }[] };
    const refused = results?.find(({ status }) => status !== "accepted");
    if (results === undefined || refused)
      throw new Error(`The service refused a report: ${answer.status} ${JSON.stringify(refused)}`);
  }
}

/** Close together, so that all of them come after those of a report before, however soon they follow. */
const RUN_MS = 1;
let lastEndMs = 0;

/** A service's runs on a vault, the oldest first. */
export function runs(
  subject: string,
  service: string,
  statuses: readonly ("success" | "failed")[],
): Report[] {
  const endMs = Math.max(Date.now(), lastEndMs + (statuses.length + 1) * RUN_MS);
  lastEndMs = endMs;
  return statuses.map((status, index) => {
    const at = new Date(endMs - (statuses.length - index) * RUN_MS).toISOString();
    const data = { service, run_id: `${service}-${at}`, status, started_at: at, finished_at: at };
    return {
      type: "vaultops.service.run",
      subject,
      data: { ...data, ...(status === "failed" && { error: "the test wants it so" }) },
    };
  });
}
