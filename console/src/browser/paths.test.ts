import { expect, it } from "vitest";
import { alertIdOf, explorerLink, safeNext } from "./paths.ts";

it("goes on after signing in only within the console", () => {
  expect(safeNext("/vaults/1/0xabc?window=7d")).toBe("/vaults/1/0xabc?window=7d");
  for (const elsewhere of [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    7,
    undefined,
  ])
    expect(safeNext(elsewhere)).toBeUndefined();
});

it("links to an explorer over http alone", () => {
  expect(explorerLink("https://scan.example/", "tx", "0x1")).toBe("https://scan.example/tx/0x1");
  expect(explorerLink("javascript:alert(1)//", "tx", "0x1")).toBeNull();
  expect(explorerLink(null, "address", "0x1")).toBeNull();
});

it("reads an alert's id from its address, wherever the service is reached", () => {
  expect(alertIdOf("https://vaults.example/alerts/018f")).toBe("018f");
  expect(alertIdOf("https://example.org/vaultops/alerts/018f")).toBe("018f");
});
