import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configWarnings, httpSettingsOf, loadConfig } from "./load.ts";
import { renderConfigReference } from "./reference.ts";
import { faultsOf, fileOf, load } from "./test-files.ts";

const AGGREGATOR = "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
const root = join(import.meta.dirname, "../../..");

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
        rate_limits: { per_wallet: 10_000, per_ip: 600, challenges_per_ip: 60, recorded_per_wallet: 60 },
        streams: { per_wallet: 200, total: 2_000 },
      },
      admin: { host: "127.0.0.1", port: 9090, token: null },
      data_dir: ".vaultops",
      database: {
        url: null,
        owner_url: null,
        listen_url: null,
        replica_url: null,
        replica_max_lag_seconds: 5,
        max_connections: 10,
      },
      auth: {
        issuers: [],
        embedded: { enabled: false, keys: null },
        safe_signers: "view_only",
        registry_maintainers: [],
      },
      chains: [],
      prices: [],
      token_lists: [],
      ingest: { tokens: [], requests_per_token: 10_000, history_days: 90 },
      audit: {
        signing_keys: null,
        checkpoint_file: null,
        witnesses: [],
        witness_quorum: null,
        streams: [],
        partition_entries: 1_000_000,
        witness_url: null,
      },
      secrets: { keys: null },
      alerts: {
        system_channels: [],
        collect_seconds: 0.5,
        history_days: 400,
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
          price: {
            is_enabled: true,
            window_seconds: 86_400,
            warning_drop_fraction: 0.0005,
            critical_drop_fraction: 0.005,
            jump_fraction: 0.02,
          },
          losses: { is_enabled: true, loss_fraction: 0.00001, resolve_after_seconds: 86_400 },
          liquidity: {
            is_enabled: true,
            warning_min_withdrawable_fraction: 0.02,
            critical_min_withdrawable_fraction: 0.005,
            max_utilisation_fraction: null,
            max_pending_fraction: null,
            max_request_age_seconds: 86_400,
          },
          flows: {
            is_enabled: true,
            single_usd: 500_000,
            single_fraction: 0.1,
            supply_fraction: 0.05,
            resolve_after_seconds: 86_400,
          },
          tvl: { is_enabled: true, window_seconds: 3600, change_fraction: 0.15 },
          governance: {
            is_enabled: true,
            notice_seconds: 86_400,
            known_actors: [],
            resolve_after_seconds: 86_400,
          },
          allocation: {
            is_enabled: true,
            max_idle_fraction: null,
            idle_seconds: 86_400,
            targets: {},
            drift_fraction: null,
            cap_fraction: null,
          },
        },
      },
      egress: { allowed_networks: [], allow_http: false, proxy: null, proxy_resolves: false },
      smtp: {
        url: null,
        from: null,
        oauth2: { token_url: null, client_id: null, client_secret: null, refresh_token: null, scope: null },
        allowed_domains: [],
      },
      telemetry: { otlp_url: null, otlp_headers: null, sample_ratio: 1 },
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
  it("holds every key there is, addresses without quotes and in any case", () => {
    const config = load(`
http: { host: 127.0.0.1, port: 8080, public_url: http://127.0.0.1:8080, trusted_proxies: [10.0.0.0/8], cors_origins: [https://a.example] }
admin: { host: 127.0.0.1, port: 9090 }
data_dir: .vaultops
database: { url: null, owner_url: null, listen_url: null, replica_url: null }
auth:
  issuers: [{ issuer: https://issuer.example, audience: [vaults], jwks_url: https://issuer.example/jwks?p=1, profile: generic, wallet_claim: wallet_address }]
  embedded: { enabled: false, keys: null }
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
      { family: "supervault", aggregator: AGGREGATOR, managers: [] },
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

  it("may name a part in several places: each takes its own defaults and variables", () => {
    const text =
      "alerts: { rules: { flows: &soon { resolve_after_seconds: 60 }, losses: *soon, governance: *soon } }";
    const { rules } = load(text, { VAULTOPS_ALERTS__RULES__FLOWS__RESOLVE_AFTER_SECONDS: "90" }).alerts;
    const { rules: plain } = loadConfig({ env: {} }).alerts;
    expect(rules).toEqual({
      ...plain,
      flows: { ...plain.flows, resolve_after_seconds: 90 },
      losses: { ...plain.losses, resolve_after_seconds: 60 },
      governance: { ...plain.governance, resolve_after_seconds: 60 },
    });
  });

  it("may follow no chain at all", () => expect(load("chains: []").chains).toEqual([]));
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
      listen_url: null,
      replica_url: null,
      replica_max_lag_seconds: 5,
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
      [1, [{ family: "supervault", aggregator: AGGREGATOR, managers: [] }]],
      [8453, [{ family: "supervault", aggregator: AGGREGATOR, managers: [] }]],
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
      rateLimits: { perWallet: 10_000, perIp: 600, challengesPerIp: 60, recordedPerWallet: 60 },
    });
  });
});
