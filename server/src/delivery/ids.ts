// Ids of deliveries: UUIDs of version 7 (RFC 9562), so that new ones lie together in the index.
import { randomBytes } from "node:crypto";

export function uuidV7(nowMs: number): string {
  const hex = nowMs.toString(16).padStart(12, "0") + randomBytes(10).toString("hex");
  const variant = (0x8 | (Number.parseInt(hex[16] as string, 16) & 0x3)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
