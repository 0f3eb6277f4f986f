// An alert's details as a flat table of texts with bounds, for providers that show one.
import { cleanLine, cut } from "../notice/text.ts";

const MAX_ENTRIES = 40;
const MAX_NAME = 64;
const MAX_VALUE = 500;

export function boundedDetails(details: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(details)
    .filter(([, value]) => value !== null && value !== undefined)
    .slice(0, MAX_ENTRIES)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return [cut(cleanLine(name), MAX_NAME), cut(cleanLine(text), MAX_VALUE)];
    });
  return Object.fromEntries(entries);
}
