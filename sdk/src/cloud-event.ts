import type { EngineEvents } from "./engine-events.ts";

export type EventType = keyof EngineEvents;

/** A report as it travels (CloudEvents 1.0, structured mode). */
export interface CloudEvent {
  specversion: "1.0";
  id: string;
  source: string;
  type: EventType;
  time: string;
  subject?: string;
  datacontenttype: "application/json";
  data: unknown;
}
