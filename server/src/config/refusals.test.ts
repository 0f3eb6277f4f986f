import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "./load.ts";
import { faultsOf, folder, load } from "./test-files.ts";

const AGGREGATOR = "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
const CHAIN = "chain_id: 8453, name: Base, rpc_urls: [https://rpc.example/v1/key]";

describe("a configuration file", () => {
  it.each([
    [
      "an unknown key, with the nearest known one",
      "http: { prot: 1 }",
      ["FILE:1: http.prot is not a key of the configuration; did you mean http.port?"],
    ],
    [
      "an unknown section",
      "\nhtpp: {}",
      ["FILE:2: htpp is not a key of the configuration; did you mean http?"],
    ],
    [
      "an unknown key deep in a list",
      `chains: [{ ${CHAIN}, confirmation: 1 }]`,
      [
        "FILE:1: chains[0].confirmation is not a key of the configuration; did you mean chains[0].confirmations?",
      ],
    ],
    ["a wrong type", "http:\n  port: '80a'", ["FILE:2: http.port must be a whole number, not text"]],
    ["a list where a map belongs", "http: []", ["FILE:1: http must be a map, not a list"]],
    ["nothing where a section belongs", "http:", ["FILE:1: http must be a map, not null"]],
    ["a port out of range", "http: { port: 70000 }", ["FILE:1: http.port must be at most 65535"]],
    [
      "a listed manager that is no address",
      `chains: [{ ${CHAIN}, sources: [{ family: supervault, aggregator: "${AGGREGATOR}", managers: [me] }] }]`,
      [expect.stringContaining("chains[0].sources[0].managers[0] must be an address")],
    ],
    ["a missing key", "chains: [{ chain_id: 1, name: E }]", ["FILE:1: chains[0].rpc_urls is missing"]],
    [
      "an empty list of nodes",
      "chains: [{ chain_id: 1, name: E, rpc_urls: [] }]",
      ["FILE:1: chains[0].rpc_urls must NOT have fewer than 1 items"],
    ],
    [
      "a node of another scheme",
      "chains: [{ chain_id: 1, name: E, rpc_urls: [ipc:///geth.ipc] }]",
      ["FILE:1: chains[0].rpc_urls[0] must be an absolute http, https, ws or wss URL"],
    ],
    [
      "a WebSocket and nothing beside it",
      "chains: [{ chain_id: 1, name: E, rpc_urls: [wss://rpc.example] }]",
      ["FILE:1: chains[0].rpc_urls needs an http or https URL: a ws or wss URL only announces new blocks"],
    ],
    [
      "a quorum of more nodes than there are",
      `chains: [{ chain_id: 1, name: E, rpc_urls: [https://rpc.example, wss://rpc.example], rpc_quorum: 2 }]`,
      ["FILE:1: chains[0].rpc_quorum asks for 2 nodes, but there is only 1 http URL"],
    ],
    [
      "a family that is not known",
      `chains: [{ ${CHAIN}, sources: [{ family: superform }] }]`,
      [expect.stringContaining("FILE:1: chains[0].sources[0].family must be one of supervault, erc4626")],
    ],
    [
      "an address with a wrong checksum",
      "auth: { registry_maintainers: [0x10aC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698] }",
      [expect.stringContaining("auth.registry_maintainers[0] must be an address")],
    ],
    [
      "a confirmation depth in other words",
      `chains: [{ ${CHAIN}, confirmations: latest }]`,
      ["FILE:1: chains[0].confirmations must be a whole number from 0 to 100000, or safe, or finalized"],
    ],
    [
      "a confirmation depth at which nothing would ever be confirmed",
      `chains: [{ ${CHAIN}, confirmations: 100001 }]`,
      ["FILE:1: chains[0].confirmations must be a whole number from 0 to 100000, or safe, or finalized"],
    ],
    [
      "a network that is none",
      "http: { trusted_proxies: [10.0.0.0/33] }",
      ["FILE:1: http.trusted_proxies[0] must be an IP address or a network in CIDR notation"],
    ],
    [
      "an origin with a path",
      "http: { cors_origins: ['https://a.example/x'] }",
      [expect.stringContaining("must be an origin")],
    ],
    [
      "no audience at all",
      "auth: { issuers: [{ issuer: a, profile: privy, jwks_url: https://a.example }] }",
      ["FILE:1: auth.issuers[0].audience is missing"],
    ],
    [
      "a console's client that the ID token is not for, beside a page, with an issuer that is no URL or without openid",
      "auth: { issuers: [{ issuer: a, audience: [b], profile: generic, jwks_url: https://a.example, console: { client_id: c, scope: email, sign_in_url: https://p.example } }] }",
      [
        "FILE:1: auth.issuers[0].console.sign_in_url has no meaning together with client_id",
        "FILE:1: auth.issuers[0].console.client_id must be among audience: the ID token is for it",
        "FILE:1: auth.issuers[0].console.client_id needs an issuer that is the provider's URL",
        "FILE:1: auth.issuers[0].console.scope must contain openid",
      ],
    ],
    [
      "an empty audience",
      "auth: { issuers: [{ issuer: a, audience: [], profile: privy, jwks_url: https://a.example }] }",
      [expect.stringContaining("audience must be a list of one or more audiences, or the word any")],
    ],
    [
      "a symmetric algorithm",
      "auth: { issuers: [{ issuer: a, audience: [b], algorithms: [HS256], profile: privy, jwks_url: https://a.example }] }",
      ["FILE:1: auth.issuers[0].algorithms[0] must be one of RS256, PS256, ES256, ES384, EdDSA"],
    ],
    [
      "an issuer without keys",
      "auth: { issuers: [{ issuer: a, audience: [b], profile: privy }] }",
      ["FILE:1: auth.issuers[0] must have either jwks_url or jwks_file"],
    ],
    [
      "a chain given twice",
      `chains: [{ ${CHAIN} }, { ${CHAIN} }]`,
      ["FILE:1: chains[1].chain_id the chain 8453 is given twice"],
    ],
    [
      "one node in place of two",
      `chains: [{ chain_id: 1, name: E, rpc_urls: ["https://u:hunter2@rpc.example", "https://u:hunter2@rpc.example"], rpc_quorum: 2 }]`,
      ["FILE:1: chains[0].rpc_urls[1] is the same URL as rpc_urls[0]"],
    ],
    [
      "a block that no number names",
      `chains: [{ ${CHAIN}, start_block: 99999999999999999999 }]`,
      ["FILE:1: chains[0].start_block must be at most 9007199254740991"],
    ],
    [
      "a factory together with vaults",
      `chains: [{ ${CHAIN}, sources: [{ family: metamorpho, factory: "${AGGREGATOR}", vaults: [{ address: "${AGGREGATOR}" }] }] }]`,
      ["FILE:1: chains[0].sources[0] must name either a factory or vaults"],
    ],
    [
      "neither a factory nor vaults",
      `chains: [{ ${CHAIN}, sources: [{ family: euler_earn }] }]`,
      ["FILE:1: chains[0].sources[0] must name either a factory or vaults"],
    ],
    [
      "a vault given twice",
      `chains: [{ ${CHAIN}, sources: [{ family: erc4626, vaults: [{ address: ${AGGREGATOR} }, { address: ${AGGREGATOR.toLowerCase()} }] }] }]`,
      [expect.stringContaining(`the address ${AGGREGATOR} is given twice`)],
    ],
    ["a key given twice", "http: {}\nhttp: {}", [expect.stringMatching(/^FILE:2: .*unique/i)]],
    ["text that is no YAML", "http: [", [expect.stringMatching(/^FILE:1: /)]],
    ["something else than a map", "- 1", ["FILE: must be a map of sections"]],
    [
      "a password",
      "database: { url: 'postgres://u:hunter2@db/x' }",
      ["FILE:1: database.url holds a password; set it by VAULTOPS_DATABASE__URL or database.url_file"],
    ],
    [
      "a key that seals secrets",
      `secrets: { keys: ${Buffer.alloc(32, 7).toString("base64")} }`,
      ["FILE:1: secrets.keys holds a key; set it by VAULTOPS_SECRETS__KEYS or secrets.keys_file"],
    ],
    [
      "a stream's token in the file",
      "audit: { streams: [{ type: splunk_hec, url: https://s.example, token: hunter2 }] }",
      [
        "FILE:1: audit.streams[0].token holds a key; set it by VAULTOPS_AUDIT__STREAMS or audit.streams[0].token_file",
      ],
    ],
    [
      "a stream to Splunk without a token, and two of one name",
      "audit: { streams: [{ type: splunk_hec, url: https://s.example }, { type: http_ndjson, url: https://s.example/x }] }",
      [
        expect.stringContaining("audit.streams[1].name the name s.example is given twice"),
        expect.stringContaining("audit.streams[0] needs token_file, or a token"),
      ],
    ],
    [
      "a hash that is none, in words and not as an expression",
      "ingest: { tokens: [{ source: /engine, token_sha256: x }] }",
      [
        "FILE:1: ingest.tokens[0].token_sha256 is not of the right form: SHA-256 of the token, 64 hexadecimal digits in lower case (`vaultops ingest-token create`)",
      ],
    ],
    [
      "an owner without a database",
      "database: { owner_url: 'postgres://u@db/x' }",
      ["FILE:1: database.owner_url has no meaning without database.url"],
    ],
    [
      "a mail server without a sender",
      "smtp: { url: smtps://mail.example }",
      ["FILE:1: smtp.from is missing; smtp.url is given"],
    ],
  ])("is refused for %s, naming the key and the line", (_what, text, faults) => {
    expect(faultsOf(() => load(text))).toEqual(faults);
  });

  it("names all faults at once, and no value that may be secret", () => {
    const faults = faultsOf(() =>
      load("http: { port: a }\nadmin: { prt: 1 }\nsmtp: { url: 'smtp://u:hunter2@x', from: a@b.c }"),
    );
    expect(faults.join()).not.toContain("hunter2");
    expect(faultsOf(() => load("http: { port: a }\nadmin: { prt: 1 }"))).toHaveLength(2);
  });

  it("is refused when it cannot be read", () => {
    expect(faultsOf(() => loadConfig({ file: join(folder, "none.yaml"), env: {} }))).toEqual([
      "none.yaml: cannot be read (ENOENT)",
    ]);
  });
});
