// One report of each type of the engine's events, with the examples that the documentation shows, as of now.
import { EVENT_TYPES, type EventType } from "../src/reports/events.ts";

/** A CloudEvent as an engine sends it. */
export interface EngineReport {
  specversion: "1.0";
  id: string;
  source: string;
  type: EventType;
  time: string;
  subject: string;
  data: Record<string, unknown>;
}

let made = 0;

/** Each example once, its times moved to the present, and the vault's chain in the place of the example's. */
export function reportsOf(vaultId: string, source: string): EngineReport[] {
  const time = new Date().toISOString();
  return Object.entries(EVENT_TYPES).map(([type, { example }]) => {
    made += 1;
    const data = Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, /^2026-05/.test(String(value)) ? time : value]),
    );
    return {
      specversion: "1.0",
      id: `${type}-${made}`,
      source,
      type: type as EventType,
      time,
      subject: vaultId,
      data: "chain_id" in data ? { ...data, chain_id: Number(vaultId.split(":")[0]) } : data,
    };
  });
}
