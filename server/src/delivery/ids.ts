// Ids of deliveries: UUIDs of version 7 (RFC 9562), so that new ones lie together in the index.
import { randomUUID } from "node:crypto";

/** The random bits are those of a version 4, which Node draws in bulk. */
export function uuidV7(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
