import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import fc from "../../server/test/fast-check.ts";
import { toHex } from "./bytes.ts";
import { sha256 } from "./sha256.ts";

it.each([
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
  ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
])("SHA-256 has the published digest of %.60s", (text, digest) => {
  expect(toHex(sha256(new TextEncoder().encode(text)))).toBe(digest);
});

it("agrees with another implementation at every length around the ends of blocks, and on any bytes", () => {
  const same = (data: Uint8Array) => {
    expect(toHex(sha256(data))).toBe(createHash("sha256").update(data).digest("hex"));
  };
  for (let length = 0; length <= 260; length++) same(new Uint8Array(length).fill(length));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 1000 }), same));
  // A view into a larger memory, as a stream's pieces are.
  same(new Uint8Array(300).fill(7).subarray(11, 211));
});
