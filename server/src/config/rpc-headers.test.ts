import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { faultsOf, folder, load } from "./test-files.ts";

const file = join(folder, "rpc_key");
writeFileSync(file, "s3cret\n");
const withNode = (node: string) => `chains: [{ chain_id: 1, name: E, rpc_urls: [${node}] }]`;

describe("the headers of an RPC node", () => {
  it("come from the files that are named; a URL alone needs none", () => {
    const { chains } = load(
      withNode(
        `https://a.example, { url: https://b.example, headers: { X-Api-Key: { file: ${file} } } }, { url: https://c.example }`,
      ),
    );
    expect(chains[0]?.rpc_urls).toEqual([
      "https://a.example",
      { url: "https://b.example", headers: { "x-api-key": "s3cret" } },
      { url: "https://c.example", headers: {} },
    ]);
  });

  it("may stand as text in the environment, with the chain", () => {
    const chain = {
      chain_id: 1,
      name: "E",
      rpc_urls: [{ url: "https://b.example", headers: { "x-api-key": "s3cret" } }],
    };
    expect(load("", { VAULTOPS_CHAINS: JSON.stringify([chain]) }).chains[0]?.rpc_urls).toEqual(
      chain.rpc_urls,
    );
  });

  it.each([
    [
      "a value in the configuration file",
      "{ url: https://b.example, headers: { x-api-key: s3cret } }",
      "must name the file",
    ],
    [
      "a file that is not there",
      "{ url: https://b.example, headers: { x-api-key: { file: /nowhere/at/all } } }",
      "ENOENT",
    ],
    [
      "a name that is none",
      `{ url: https://b.example, headers: { "x api": { file: ${file} } } }`,
      "not the name of a header",
    ],
    [
      "a header of the service's own",
      `{ url: https://b.example, headers: { Content-Type: { file: ${file} } } }`,
      "sets itself",
    ],
    [
      "a value over two lines",
      `{ url: https://b.example, headers: { x: { file: ${join(folder, "lines")} } } }`,
      "no value that a header can have",
    ],
    ["no URL", `{ headers: {} }`, "chains[0].rpc_urls[0].url is missing"],
    ["another key", `{ url: https://b.example, header: {} }`, "did you mean chains[0].rpc_urls[0].headers?"],
    [
      "the URL of another node",
      `https://b.example, { url: https://b.example }`,
      "is the same URL as rpc_urls[0]",
    ],
    [
      "a node of another scheme",
      `{ url: "ipc:///geth.ipc" }`,
      "must be an absolute http, https, ws or wss URL",
    ],
  ])("are refused for %s, without a word of the value", (_what, node, message) => {
    writeFileSync(join(folder, "lines"), "s3cret\nx-other: 1");
    const faults = faultsOf(() => load(withNode(node)));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^FILE:1: /);
    expect(faults[0]).toContain(message);
    expect(faults[0]).not.toContain("s3cret");
  });
});
