import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError } from "./config/error.ts";
import { renderConfigReference } from "./config/reference.ts";
import { configWarnings, httpSettingsOf, loadConfig } from "./config.ts";

const AGGREGATOR = "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "vaultops-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function fileOf(text: string): string {
  const file = join(folder, `${++count}.yaml`);
  writeFileSync(file, text);
  return file;
}
const load = (text: string, env: NodeJS.ProcessEnv = {}) => loadConfig({ file: fileOf(text), env });

/** The faults of a configuration, the file's folder left out. */
function faultsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError)
      return error.faults.map((fault) => fault.replaceAll(`${folder}/`, "").replace(/^\d+\.yaml/, "FILE"));
    throw error;
  }
  return [];
}

const CHAIN = "chain_id: 8453, name: Base, rpc_urls: [https://rpc.example/v1/key]";

describe("the defaults", () => {
  it("make up a whole configuration, as documented", () => {
    const config = loadConfig({ env: {} });
    expect(config).toEqual({
      http: {
        host: "127.0.0.1",
        port: 8080,
        public_url: "http://127.0.0.1:8080",
        trusted_proxies: [],
        cors_origins: [],
        rate_limits: { per_wallet: 10_000, per_ip: 600, challenges_per_ip: 60 },
      },
      admin: { host: "127.0.0.1", port: 9090 },
      data_dir: ".vaultops",
      database: { url: null, owner_url: null, replica_url: null, max_connections: 10 },
      auth: { issuers: [], embedded: { enabled: false }, registry_maintainers: [] },
      chains: [],
      prices: [],
      token_lists: [],
      ingest: { tokens: [], requests_per_token: 10_000, history_days: 90 },
      audit: { checkpoint_file: null, witness_url: null },
      secrets: { keys: null },
      alerts: {
        system_channels: [],
        collect_seconds: 0.5,
        rules: {
          upkeep: { is_enabled: true, reserve: "0" },
          pps_staleness: {
            is_enabled: true,
            warning_seconds: 3600,
            warning_fraction: 0.25,
            critical_seconds: 600,
            critical_fraction: 0.1,
          },
          keeper_run: {
            is_enabled: true,
            consecutive_failures: 3,
            warning_success_rate: 0.95,
            critical_success_rate: 0.8,
            warning_schedules: 2,
            critical_schedules: 3,
          },
          session_key: { is_enabled: true, expires_within_seconds: 86_400 },
          emergency_pause: { is_enabled: true },
          emergency_exit: { is_enabled: true },
          merkle: { is_enabled: true },
          execution: { is_enabled: true, failures: 3, window_seconds: 900 },
        },
      },
      egress: { allowed_networks: [], allow_http: false },
      smtp: { url: null, from: null },
      log: { level: "info" },
    });
  });

  it("are taken anew each time", () => {
    loadConfig({ env: {} }).http.trusted_proxies.push("10.0.0.0/8");
    expect(loadConfig({ env: {} }).http.trusted_proxies).toEqual([]);
  });

  it("make the public URL of host and port", () => {
    expect(loadConfig({ env: { VAULTOPS_HTTP__PORT: "9000" } }).http.public_url).toBe(
      "http://127.0.0.1:9000",
    );
    expect(loadConfig({ env: { VAULTOPS_HTTP__HOST: "0.0.0.0" } }).http.public_url).toBe(
      "http://127.0.0.1:8080",
    );
    expect(loadConfig({ env: { VAULTOPS_HTTP__HOST: "::1" } }).http.public_url).toBe("http://[::1]:8080");
    expect(load("http: { public_url: 'https://vaults.example/' }").http.public_url).toBe(
      "https://vaults.example",
    );
  });
});

describe("the file", () => {
  it("holds every key of the decisions, addresses without quotes and in any case", () => {
    const config = load(`
http: { host: 127.0.0.1, port: 8080, public_url: http://127.0.0.1:8080, trusted_proxies: [10.0.0.0/8], cors_origins: [https://a.example] }
admin: { host: 127.0.0.1, port: 9090 }
data_dir: .vaultops
database: { url: null, owner_url: null, replica_url: null }
auth:
  issuers: [{ issuer: https://issuer.example, audience: [vaults], jwks_url: https://issuer.example/jwks?p=1, profile: generic, wallet_claim: wallet_address }]
  embedded: { enabled: false }
  registry_maintainers: [${AGGREGATOR.toLowerCase()}]
chains:
  - chain_id: 8453
    name: Base
    explorer_url: https://basescan.org
    rpc_urls: [https://rpc.example]
    confirmations: finalized
    start_block: 0
    sources:
      - { family: supervault, aggregator: ${AGGREGATOR} }
      - { family: erc4626, vaults: [{ address: 0xde709f2102306220921060314715629080e2fb77, primary_manager: ${AGGREGATOR} }] }
prices: [{ source: static, chain_id: 8453, address: ${AGGREGATOR}, usd: 1 }]
ingest: { tokens: [{ source: /engine/main, token_sha256: ${"0a".repeat(32)}, chains: [], vaults: [8453:${AGGREGATOR.toLowerCase()}] }] }
alerts: { system_channels: [] }
egress: { allowed_networks: [127.0.0.0/8], allow_http: true }
smtp: { url: null, from: null }
`);
    expect(config.auth.registry_maintainers).toEqual([AGGREGATOR]);
    expect(config.chains[0]?.sources).toEqual([
      { family: "supervault", aggregator: AGGREGATOR },
      {
        family: "erc4626",
        vaults: [{ address: "0xde709f2102306220921060314715629080e2fb77", primary_manager: AGGREGATOR }],
      },
    ]);
    expect(config.chains[0]).toMatchObject({ confirmations: "finalized", max_lag_seconds: 300 });
    expect(config.ingest.tokens[0]?.vaults).toEqual([`8453:${AGGREGATOR}`]);
    expect(config.auth.issuers[0]?.jwks_url).toBe("https://issuer.example/jwks?p=1");
  });

  it("may be empty, and may be named by VAULTOPS_CONFIG", () => {
    expect(load("").http.port).toBe(8080);
    expect(loadConfig({ env: { VAULTOPS_CONFIG: fileOf("http: { port: 1234 }") } }).http.port).toBe(1234);
  });

  it("may follow no chain at all", () => expect(load("chains: []").chains).toEqual([]));

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
      ["FILE:1: chains[0].rpc_urls needs an http or https URL: of a ws or wss URL only new heads are heard"],
    ],
    [
      "a quorum of more nodes than there are",
      `chains: [{ chain_id: 1, name: E, rpc_urls: [https://rpc.example, wss://rpc.example], rpc_quorum: 2 }]`,
      ["FILE:1: chains[0].rpc_quorum asks for 2 nodes, but there is only 1 http URL"],
    ],
    [
      "a family that is not known",
      `chains: [{ ${CHAIN}, sources: [{ family: superform }] }]`,
      ["FILE:1: chains[0].sources[0].family must be one of supervault, erc4626"],
    ],
    [
      "an address with a wrong checksum",
      "auth: { registry_maintainers: [0x10aC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698] }",
      [expect.stringContaining("auth.registry_maintainers[0] must be an address")],
    ],
    [
      "a confirmation depth in other words",
      `chains: [{ ${CHAIN}, confirmations: latest }]`,
      ["FILE:1: chains[0].confirmations must be a whole number from 0 on, or safe, or finalized"],
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
      ["FILE:1: database.url holds a password; give it by VAULTOPS_DATABASE__URL or database.url_file"],
    ],
    [
      "a key that seals secrets",
      `secrets: { keys: ${Buffer.alloc(32, 7).toString("base64")} }`,
      ["FILE:1: secrets.keys holds a key; give it by VAULTOPS_SECRETS__KEYS or secrets.keys_file"],
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

describe("the environment", () => {
  it("stands before the file, for every kind of value", () => {
    const config = load("http: { port: 1, cors_origins: [https://file.example] }\nlog: { level: warn }", {
      VAULTOPS_HTTP__PORT: "8081",
      VAULTOPS_HTTP__CORS_ORIGINS: '["https://env.example"]',
      VAULTOPS_AUTH__EMBEDDED__ENABLED: "true",
      VAULTOPS_CHAINS: `[{"chain_id":1,"name":"Ethereum","rpc_urls":["https://rpc.example"],"confirmations":"safe"}]`,
      VAULTOPS_DATABASE__URL: "postgres://app:hunter2@db/vaultops",
      VAULTOPS_DATABASE__OWNER_URL: "null",
      VAULTOPS_DATA_DIR: "123",
      UNRELATED: "x",
    });
    expect(config.http).toMatchObject({ port: 8081, cors_origins: ["https://env.example"] });
    expect(config.auth.embedded.enabled).toBe(true);
    expect(config.chains[0]).toMatchObject({ chain_id: 1, confirmations: "safe", start_block: 0 });
    expect(config.database).toMatchObject({ url: "postgres://app:hunter2@db/vaultops", owner_url: null });
    expect(config.data_dir).toBe("123");
    expect(config.log.level).toBe("warn");
  });

  it.each([
    [
      { VAULTOPS_HTTP_PORT: "1" },
      "VAULTOPS_HTTP_PORT: is not a key of the configuration; did you mean VAULTOPS_HTTP__PORT?",
    ],
    [
      { VAULTOPS_HTTP__PROT: "1" },
      "VAULTOPS_HTTP__PROT: is not a key of the configuration; did you mean VAULTOPS_HTTP__PORT?",
    ],
    [{ VAULTOPS_HTTP__PORT: "eighty" }, "VAULTOPS_HTTP__PORT: must be JSON (the key takes integer)"],
    [{ VAULTOPS_HTTP__PORT: "1.5" }, "VAULTOPS_HTTP__PORT: http.port must be a whole number, not a number"],
    [{ VAULTOPS_HTTP__PORT: '"80"' }, "VAULTOPS_HTTP__PORT: http.port must be a whole number, not text"],
    [{ VAULTOPS_CHAINS: "[{" }, "VAULTOPS_CHAINS: must be JSON (the key takes array)"],
    [{ VAULTOPS_CHAINS: '[{"chain_id":1}]' }, "VAULTOPS_CHAINS: chains[0].name is missing"],
    [
      { VAULTOPS_LOG__LEVEL: "loud" },
      "VAULTOPS_LOG__LEVEL: log.level must be one of fatal, error, warn, info, debug, trace, silent",
    ],
    [
      { VAULTOPS_DATABASE__URL: "mysql://db" },
      "VAULTOPS_DATABASE__URL: database.url must be a postgres:// or postgresql:// URL",
    ],
  ])("is refused when wrong, naming the variable: %j", (env, fault) => {
    expect(faultsOf(() => load("http: { port: 1 }", env))).toContain(fault);
  });

  it("may hold the variables of commands, which are no keys", () => {
    expect(loadConfig({ env: { VAULTOPS_PRIVATE_KEY: "0x1", VAULTOPS_TOKEN: "x" } }).http.port).toBe(8080);
  });
});

describe("a secret in a file of its own", () => {
  it("is read from it, whether the file or the environment names it", () => {
    const secret = fileOf("postgres://app:hunter2@db/vaultops\n");
    expect(load(`database: { url_file: ${secret} }`).database.url).toBe("postgres://app:hunter2@db/vaultops");
    const config = loadConfig({ env: { VAULTOPS_DATABASE__URL_FILE: secret } });
    expect(config.database).toEqual({
      url: "postgres://app:hunter2@db/vaultops",
      owner_url: null,
      replica_url: null,
      max_connections: 10,
    });
  });

  it("is refused when it cannot be read, or is given twice", () => {
    expect(faultsOf(() => load("database: { url_file: /nowhere/x }"))).toEqual([
      "FILE:1: database.url_file cannot be read (ENOENT)",
    ]);
    const both = { VAULTOPS_DATABASE__URL: "postgres://db/x" };
    expect(faultsOf(() => load(`database: { url_file: ${fileOf("x")} }`, both))).toEqual([
      "FILE:1: database.url and database.url_file are both given",
    ]);
  });

  it("is no way to give what is not secret", () => {
    expect(faultsOf(() => load("http: { host_file: x }"))).toEqual([
      expect.stringContaining("http.host_file is not a key"),
    ]);
  });
});

describe("warnings", () => {
  it("tell of every issuer that is trusted for any audience", () => {
    const config = load(
      "auth: { issuers: [{ issuer: https://i.example, audience: any, profile: dynamic, jwks_url: https://i.example/jwks }] }\nchains: []",
    );
    expect(config.auth.issuers[0]?.audience).toBe("any");
    expect(configWarnings(config).join("\n")).toMatch(/https:\/\/i\.example is trusted for any audience/);
  });

  it("tell when the database does not hold the audit log append-only", () => {
    const config = loadConfig({ env: { VAULTOPS_DATABASE__URL: "postgres://db/x" } });
    expect(configWarnings(config).join("\n")).toContain("append-only");
  });
});

describe("what comes with the configuration", () => {
  it("the example is valid, and names the published aggregator on Ethereum and Base", () => {
    const config = loadConfig({ file: join(root, "config.example.yaml"), env: {} });
    expect(config.chains.map(({ chain_id, sources }) => [chain_id, sources])).toEqual([
      [1, [{ family: "supervault", aggregator: AGGREGATOR }]],
      [8453, [{ family: "supervault", aggregator: AGGREGATOR }]],
    ]);
    const text = readFileSync(join(root, "config.example.yaml"), "utf8");
    expect(text).toContain("999");
    expect(text).toContain("14");
  });

  it("docs/configuration.md is what the schema says (npm run gen writes it)", () => {
    const page = readFileSync(join(root, "docs/configuration.md"), "utf8");
    expect(page, "docs/configuration.md is out of date: run `npm run gen`").toBe(renderConfigReference());
  });

  it("the HTTP settings are passed on whole", () => {
    expect(httpSettingsOf(loadConfig({ env: {} }))).toEqual({
      publicUrl: "http://127.0.0.1:8080",
      corsOrigins: [],
      trustedProxies: [],
      rateLimits: { perWallet: 10_000, perIp: 600, challengesPerIp: 60 },
    });
  });
});
