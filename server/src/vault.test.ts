import { checksumAddress } from "viem";
import { describe, expect, it } from "vitest";
import fc from "../test/fast-check.ts";
import { parseAddress, parseVaultId, vaultIdOf } from "./vault.ts";

const AGGREGATOR = "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
const lower = AGGREGATOR.toLowerCase();

describe("parseAddress", () => {
  it("takes any single case and answers the checksummed form", () => {
    expect(parseAddress(lower)).toBe(AGGREGATOR);
    expect(parseAddress(`0x${lower.slice(2).toUpperCase()}`)).toBe(AGGREGATOR);
    expect(parseAddress(lower.toUpperCase())).toBe(AGGREGATOR);
    expect(parseAddress(AGGREGATOR)).toBe(AGGREGATOR);
  });

  it("refuses mixed case with a wrong checksum", () => {
    expect(parseAddress("0x10aC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698")).toBeNull();
  });

  it("knows the checksums of EIP-55's own vectors", () => {
    for (const vector of [
      "0x52908400098527886E0F7030069857D2E4169EE7",
      "0xde709f2102306220921060314715629080e2fb77",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
      "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ]) {
      expect(parseAddress(vector)).toBe(vector);
    }
  });

  it.each([
    "",
    "0x",
    lower.slice(0, -1),
    `${lower}0`,
    lower.slice(2),
    ` ${lower}`,
    `${lower}\n`,
    lower.replace("a", "g"),
    `0x${lower}`,
  ])("refuses %j", (text) => expect(parseAddress(text)).toBeNull());

  it("accepts exactly one of all mixed-case spellings of an address", () => {
    const digits = fc.stringMatching(/^[0-9a-f]{40}$/);
    fc.assert(
      fc.property(digits, fc.infiniteStream(fc.boolean()), (hex, upper) => {
        const spelling = `0x${[...hex].map((digit) => (upper.next().value ? digit.toUpperCase() : digit)).join("")}`;
        const checksummed = checksumAddress(`0x${hex}`);
        const isSingleCase = spelling === `0x${hex}` || spelling === `0x${hex.toUpperCase()}`;
        expect(parseAddress(spelling)).toBe(isSingleCase || spelling === checksummed ? checksummed : null);
      }),
    );
  });
});

describe("parseVaultId", () => {
  it("reads the chain and the address in any case", () => {
    expect(parseVaultId(`8453:${lower}`)).toEqual({ chainId: 8453, vaultAddress: AGGREGATOR });
    expect(vaultIdOf({ chainId: 8453, vaultAddress: AGGREGATOR })).toBe(`8453:${AGGREGATOR}`);
  });

  it.each([
    lower,
    `:${lower}`,
    `0:${lower}`,
    `08453:${lower}`,
    `-1:${lower}`,
    `1.5:${lower}`,
    `9007199254740992:${lower}`,
    `8453-${lower}`,
    `8453:${lower}:`,
    `8453: ${lower}`,
    "8453:0x10aC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698",
    "8453:",
    "",
  ])("refuses %j", (text) => expect(parseVaultId(text)).toBeNull());

  it("never throws, and takes no random text for a vault id", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parseVaultId(text) === null));
  });
});
