// A log whose lines a test reads.
import { createLogger } from "../src/platform/log.ts";

export function capturedLog() {
  const written: string[] = [];
  const log = createLogger({ level: "debug", destination: { write: (line) => void written.push(line) } });
  return { log, lines: () => written.map((line) => JSON.parse(line)) };
}
