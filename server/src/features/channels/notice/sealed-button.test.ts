// Buttons: what is sealed opens as it was sealed, and nothing else opens.
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type ButtonAction, openButton, sealButton } from "./sealed-button.ts";

const key = randomBytes(32);
const value = () => ({
  action: "silence_8h" as ButtonAction,
  channelId: randomUUID(),
  subjectId: randomUUID(),
});

test("a value fits Telegram's 64 bytes and opens as it was sealed", () => {
  for (const action of ["acknowledge", "silence_1h", "silence_8h", "link", "unlink"] as const) {
    const button = { ...value(), action };
    const sealed = sealButton(key, button);
    expect(Buffer.byteLength(sealed)).toBe(64);
    expect(openButton(key, sealed)).toEqual(button);
  }
});

test("no bit of it can be changed, and it opens under no other key", () => {
  const sealed = Buffer.from(sealButton(key, value()), "base64url");
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(openButton(key, changed.toString("base64url"))).toBeNull();
  }
  expect(openButton(randomBytes(32), sealed.toString("base64url"))).toBeNull();
});

test("what is no value at all opens as nothing", () => {
  for (const text of ["", "x", "a".repeat(64), "a".repeat(5000), "\u0000".repeat(64)])
    expect(openButton(key, text)).toBeNull();
});
