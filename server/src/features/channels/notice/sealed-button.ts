// The values of buttons: what pressing one asks for, sealed by us, in the 64 characters that the narrowest provider leaves.
//
// Guarantee: a value opens only under the key of the endpoint that it was made for, and says for which channel it was made. Whoever reads a
// message can press its buttons and make no others.
import { createHmac, timingSafeEqual } from "node:crypto";

/** In the order of their bytes: a new one is added at the end. */
const ACTIONS = ["acknowledge", "silence_1h", "silence_8h", "link", "unlink"] as const;
export type ButtonAction = (typeof ACTIONS)[number];

export interface ButtonValue {
  action: ButtonAction;
  channelId: string;
  /** The alert that it answers, or the link that it makes. */
  subjectId: string;
}

const CONTENT_BYTES = 33;
/** What is left of 64 characters of base64url. */
const TAG_BYTES = 15;

export function sealButton(key: Buffer, { action, channelId, subjectId }: ButtonValue): string {
  const content = Buffer.concat([
    Buffer.from([ACTIONS.indexOf(action)]),
    bytesOf(channelId),
    bytesOf(subjectId),
  ]);
  return Buffer.concat([content, tagOf(key, content)]).toString("base64url");
}

/** Null: not made by us for this endpoint. */
export function openButton(key: Buffer, value: string): ButtonValue | null {
  const bytes = Buffer.from(value, "base64url");
  if (bytes.length !== CONTENT_BYTES + TAG_BYTES) return null;
  const content = bytes.subarray(0, CONTENT_BYTES);
  if (!timingSafeEqual(bytes.subarray(CONTENT_BYTES), tagOf(key, content))) return null;
  const action = ACTIONS[content[0] as number];
  if (action === undefined) return null;
  return { action, channelId: uuidOf(content.subarray(1, 17)), subjectId: uuidOf(content.subarray(17)) };
}

function tagOf(key: Buffer, content: Buffer): Buffer {
  return createHmac("sha256", key)
    .update("vaultops button v1\n")
    .update(content)
    .digest()
    .subarray(0, TAG_BYTES);
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
