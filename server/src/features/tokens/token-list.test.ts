import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadTokenList } from "./token-list.ts";

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const good = {
  chainId: 8453,
  address: USDC,
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
  logoURI: "https://x.example/a.png",
};
const noFetch = () => Promise.reject(new Error("not from the network"));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "token-list-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(list: unknown) {
  const file = join(folder, "list.json");
  await writeFile(file, typeof list === "string" ? list : JSON.stringify(list));
  return loadTokenList(file, noFetch);
}

test("a list comes from a file, or from a URL through the one way out", async () => {
  const expected = [
    {
      chainId: 8453,
      address: USDC,
      symbol: "USDC",
      name: "USD Coin",
      decimals: 6,
      logoUri: "https://x.example/a.png",
    },
  ];
  expect(await read({ name: "list", tokens: [good] })).toEqual(expected);
  const asked: string[] = [];
  const fetched = await loadTokenList("https://lists.example/tokens.json", async (url, limits) => {
    asked.push(url);
    expect(limits.maxBytes).toBeLessThan(32 * 1024 * 1024);
    return { tokens: [{ ...good, address: USDC.toLowerCase() }] };
  });
  expect(fetched).toEqual(expected);
  expect(asked).toEqual(["https://lists.example/tokens.json"]);
});

test.each([
  ["no object", null],
  ["no address", { ...good, address: undefined }],
  ["an address with a wrong checksum", { ...good, address: USDC.replace("fCD6", "FCD6") }],
  ["a chain id as text", { ...good, chainId: "8453" }],
  ["a chain id of 0", { ...good, chainId: 0 }],
])("an entry with %s is left out, its neighbours stay", async (_what, entry) => {
  expect(await read({ tokens: [entry, good] })).toHaveLength(1);
});

test("what a list says is taken only as far as it can be shown", async () => {
  const entry = {
    ...good,
    symbol: "U\u202eSD\0",
    name: "n".repeat(500),
    decimals: 300,
    logoURI: "javascript:alert(1)",
  };
  const [token] = await read({ tokens: [entry] });
  expect(token).toMatchObject({ symbol: "USD", decimals: null, logoUri: null });
  expect(token!.name!.length).toBeLessThanOrEqual(128);
  const [silent] = await read({
    tokens: [{ ...good, symbol: 7, name: "\u200b", logoURI: "ipfs://abc/logo.png" }],
  });
  expect(silent).toMatchObject({ symbol: null, name: null, logoUri: "ipfs://abc/logo.png" });
});

test("what is no token list is an error", async () => {
  await expect(read({ coins: [] })).rejects.toThrow("no list of tokens");
  await expect(read("{")).rejects.toThrow();
  await expect(loadTokenList(join(folder, "absent.json"), noFetch)).rejects.toThrow();
});
