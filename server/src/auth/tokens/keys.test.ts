// Hostile JWK Sets: only public keys of the allowed kinds come through, whatever stands beside them.
import { generateKeyPairSync } from "node:crypto";
import { exportJWK, generateKeyPair } from "jose";
import { beforeAll, expect, test } from "vitest";
import { makeKey, type SigningKey } from "../../../test/issuer.ts";
import { usableKeys } from "./keys.ts";

let ec: SigningKey;
let rsa: SigningKey;
let ed: SigningKey;

beforeAll(async () => {
  [ec, rsa, ed] = await Promise.all([
    makeKey("ES256", "ec"),
    makeKey("RS256", "rsa"),
    makeKey("EdDSA", "ed"),
  ]);
});

const kids = (...keys: unknown[]) => usableKeys({ keys }).keys.map(({ kid }) => kid);

/** The one reason for which a key is left out. */
function reason(jwk: unknown): string {
  const { keys, ignored } = usableKeys({ keys: [jwk] });
  expect(keys).toEqual([]);
  return ignored.join();
}

test("public keys of the allowed kinds are used, each with the algorithms it serves", () => {
  const { keys, ignored } = usableKeys({
    keys: [ec.publicJwk, { ...rsa.publicJwk, alg: undefined }, ed.publicJwk],
  });
  expect(keys.map(({ algorithms }) => algorithms)).toEqual([["ES256"], ["RS256", "PS256"], ["EdDSA"]]);
  expect(ignored).toEqual([]);
});

test("an RSA key that names its algorithm serves no other", () => {
  expect(usableKeys({ keys: [{ ...rsa.publicJwk, alg: "PS256" }] }).keys[0]?.algorithms).toEqual(["PS256"]);
});

test("symmetric keys are left out", () => {
  expect(reason({ kty: "oct", k: "c2VjcmV0", kid: "a", alg: "HS256" })).toMatch(/secret/);
  expect(reason({ ...ec.publicJwk, k: "c2VjcmV0" })).toMatch(/secret/);
});

test("private keys are left out: what is published signs for everyone", async () => {
  for (const algorithm of ["ES256", "RS256", "EdDSA"]) {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    expect(reason({ ...(await exportJWK(privateKey)), kid: "a" })).toMatch(/secret/);
  }
});

test("keys for encryption, or not for verifying, are left out", () => {
  expect(reason({ ...ec.publicJwk, use: "enc" })).toMatch(/use/);
  expect(reason({ ...ec.publicJwk, use: null })).toMatch(/use/);
  for (const key_ops of [["sign"], [], "verify", null])
    expect(reason({ ...ec.publicJwk, key_ops })).toMatch(/key_ops/);
  expect(kids({ ...ec.publicJwk, key_ops: ["verify"] })).toEqual(["ec"]);
});

test("algorithms that are not allowed, or do not fit the key, are left out", () => {
  for (const alg of ["HS256", "none", "RS1", "ES512", "ES384", "RS256", 7, null])
    expect(reason({ ...ec.publicJwk, alg })).toMatch(/algorithm/);
});

test("other types and curves are left out", () => {
  for (const changes of [
    { crv: "secp256k1" },
    { crv: "P-521" },
    { kty: "AKP" },
    { kty: 7 },
    { kty: "EC", crv: "P-384", x: "", alg: undefined },
  ]) {
    expect(reason({ ...ec.publicJwk, ...changes })).not.toBe("");
  }
  expect(reason({ ...ed.publicJwk, crv: "X25519" })).toMatch(/curve/);
});

test("RSA keys that are too weak or absurdly large are left out", async () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "jwk" });
  expect(reason(weak)).toMatch(/2048/);
  expect(reason({ kty: "RSA", e: "AQAB", n: Buffer.alloc(2048, 255).toString("base64url") })).toMatch(/8192/);
  expect(reason({ ...rsa.publicJwk, e: Buffer.alloc(256, 255).toString("base64url") })).toMatch(/exponent/);
});

test("a kid of the wrong type or length leaves the key out; none is fine", () => {
  for (const kid of [7, null, {}, "k".repeat(600)]) expect(reason({ ...ec.publicJwk, kid })).toMatch(/kid/);
  expect(kids({ ...ec.publicJwk, kid: undefined })).toEqual([null]);
});

test("a key stated twice is one key; one id for two keys is two", () => {
  expect(kids(ec.publicJwk, ec.publicJwk)).toEqual(["ec"]);
  expect(kids(ec.publicJwk, { ...rsa.publicJwk, kid: "ec" })).toEqual(["ec", "ec"]);
});

test("only the first hundred keys are looked at", () => {
  const keys = Array.from({ length: 5_000 }, (_, index) => ({ ...ec.publicJwk, kid: String(index) }));
  const found = usableKeys({ keys });
  expect(found.keys).toHaveLength(100);
  expect(found.ignored.join()).toMatch(/4900 keys/);
});

test("what is no set is refused, what is no key is left out", () => {
  for (const document of [null, [], "x", {}, { keys: {} }, { keys: null }])
    expect(() => usableKeys(document)).toThrow(/JWK Set/);
  expect(kids(null, 7, "x", [], {}, ec.publicJwk)).toEqual(["ec"]);
});

test("nothing of a hostile key but its public parameters is imported", async () => {
  const [key] = usableKeys({
    keys: [{ ...ec.publicJwk, ext: "yes", x5c: ["AAAA"], x5u: "http://x", __proto__: { d: "AAAA" } }],
  }).keys;
  expect((await key?.forAlgorithm("ES256"))?.type).toBe("public");
});

test("a point that is not on the curve is no key, which shows when it is used", async () => {
  const [key] = usableKeys({ keys: [{ ...ec.publicJwk, y: ec.publicJwk.x }] }).keys;
  await expect(key?.forAlgorithm("ES256")).rejects.toThrow();
});
