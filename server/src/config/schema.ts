// The one schema of the configuration. It validates the file and the environment, and docs/configuration.md is drawn from it, so a
// description here is what an operator reads.
//
// Own keywords: `x-secret` (a value with a password or key in it: only by environment or `<key>_file`), `x-restart` (whose file is read at
// the start alone), and the text forms of config/forms.ts. Every section and key has a default, but for what only the operator can know.
import { type Static, Type } from "typebox";
import { AlertRules } from "../monitors/alert-rules.ts";
import { ChainId, VaultIdParam } from "../platform/http/schemas.ts";
import { auth } from "./auth-keys.ts";
import { chain, price } from "./chain-keys.ts";
import { list, nullableString, nullableText, object, perMinute, port, section, text } from "./keys.ts";

const http = section(
  {
    host: Type.String({
      default: "127.0.0.1",
      minLength: 1,
      description: "Address to listen on; `0.0.0.0` or `::` for all.",
    }),
    port: port(8080, "Port of the API, the console and the documentation."),
    public_url: nullableText("x-http-url", {
      description:
        "Where clients reach the service, without a trailing slash: in links, in the sign-in message and as the embedded issuer's name. Default: made of `host` and `port`.",
    }),
    trusted_proxies: list(
      text("x-network", {}),
      "Addresses or networks (CIDR) of reverse proxies. Only from these does `X-Forwarded-For` count.",
    ),
    cors_origins: list(
      text("x-origin", {}),
      "Origins (`https://console.example`) whose web pages may call the API. The unauthenticated listings are open to all.",
    ),
    rate_limits: section(
      {
        per_wallet: perMinute(10_000, "Requests a minute for one wallet, per process."),
        per_ip: perMinute(
          600,
          "Requests a minute without a token, for one IPv4 address or IPv6 /64, per process.",
        ),
        challenges_per_ip: perMinute(60, "Sign-in challenges a minute for one IPv4 address or IPv6 /64."),
        recorded_per_wallet: perMinute(
          60,
          "Changes a minute by one wallet that end in the audit log, from which nothing is ever removed.",
        ),
      },
      "Quotas. Where nothing else is said they hold over all processes of one database.",
    ),
    streams: section(
      {
        per_wallet: Type.Integer({
          minimum: 1,
          maximum: 100_000,
          default: 200,
          description: "Streams of the audit log that one wallet may have open.",
        }),
        total: Type.Integer({
          minimum: 1,
          maximum: 100_000,
          default: 2_000,
          description: "Streams of the audit log that may be open in all.",
        }),
      },
      "Open streams, over all processes of one database. One more is answered 429 with `Retry-After`.",
    ),
  },
  "The API's listener.",
);

const admin = section(
  {
    host: Type.String({
      default: "127.0.0.1",
      minLength: 1,
      description: "Address of the admin listener. Keep it private.",
    }),
    port: port(9090, "Port of the admin listener (`/metrics`)."),
    token: nullableText("x-admin-token", {
      "x-secret": true,
      description:
        "What is asked, as `Authorization: Bearer …`, of whoever is not on this machine: 16 to 256 printable characters without a space (`openssl rand -hex 32`). Without one everybody who reaches the listener may read it.",
    }),
  },
  "The admin listener: metrics, for the operator's own network.",
);

const database = section(
  {
    url: nullableText("x-postgres-url", {
      "x-secret": true,
      "x-restart": true,
      description:
        "PostgreSQL 15 to 18, as the application's role. Without one the service runs its own server under `data_dir`.",
    }),
    owner_url: nullableText("x-postgres-url", {
      "x-secret": true,
      "x-restart": true,
      description:
        "The same database as its owner, for migrations. Without it (beside `url`) the append-only rule of the audit log is not held by the database, and `/readyz` says so.",
    }),
    listen_url: nullableText("x-postgres-url", {
      "x-secret": true,
      "x-restart": true,
      description:
        "The same database past the pooler, as the same role, where `url` leads through one in transaction mode (PgBouncer 1.18 or newer): for notices and leases, two connections a process at most.",
    }),
    replica_url: nullableText("x-postgres-url", {
      "x-secret": true,
      "x-restart": true,
      description:
        "A streaming replica, for reads that may lag: intents, redemptions, histories of prices and yields, tokens, and the audit log by cursor and as a stream. Never for roles, alerts or the configuration.",
    }),
    replica_max_lag_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 5,
      description: "How far the replica may be behind; beyond, the primary is read from.",
    }),
    max_connections: Type.Integer({
      minimum: 2,
      maximum: 1000,
      default: 10,
      description: "Connections of the pool.",
    }),
  },
  "Where data is kept.",
);

const ingestToken = object(
  {
    source: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "The CloudEvents `source` that the token may report as.",
    }),
    token_sha256: Type.String({
      pattern: "^[0-9a-f]{64}$",
      description:
        "SHA-256 of the token, 64 hexadecimal digits in lower case (`vaultops ingest-token create`).",
    }),
    chains: list(ChainId, "Chains it may report on. Empty: all."),
    vaults: list(VaultIdParam, "Vaults it may report on. Empty: all."),
  },
  "A token of an engine.",
);

export const ConfigSchema = object(
  {
    http,
    admin,
    data_dir: Type.String({
      default: ".vaultops",
      minLength: 1,
      description: "Folder of the embedded database and of keys made at first start.",
    }),
    database,
    auth,
    chains: list(chain, "The chains that are followed."),
    prices: list(price, "Price sources of assets, in order: the first with a usable price decides."),
    token_lists: list(
      Type.String({ minLength: 1 }),
      "Token Lists (tokenlists.org), files or https URLs, for logos and for names that a chain does not give.",
    ),
    ingest: section(
      {
        tokens: list(ingestToken, "Who may report."),
        requests_per_token: perMinute(10_000, "Requests a minute with one token, per process."),
        history_days: Type.Integer({
          default: 90,
          minimum: 1,
          maximum: 36_500,
          description:
            "How long runs and states of services are kept, back from the newest. What their judgement needs is kept in any case.",
        }),
      },
      "Reports of the engine.",
    ),
    audit: section(
      {
        signing_keys: nullableText("x-signing-keys", {
          "x-secret": true,
          description:
            "Keys that sign checkpoints, for services of several processes: as `vaultops keys create --for audit-log` prints them, one a line. Which of them signs stands in the database; `vaultops audit rotate-key` goes on to the first that never signed. Without them a key is made in `data_dir/audit` at the first start.",
        }),
        checkpoint_file: nullableString(
          "A file to which every signed checkpoint of the audit log is appended: evidence outside the database.",
        ),
        witnesses: list(
          object(
            {
              name: Type.String({
                minLength: 1,
                maxLength: 64,
                description: "What to call it in alerts and logs.",
              }),
              vkey: text("x-witness-key", {
                description:
                  "Its public key (C2SP vkey form). Cosignatures by Ed25519 (type 0x04) count; those by ML-DSA-44 (0x06) are kept and served.",
              }),
              url: text("x-http-url", {
                description: "Its submission prefix: what stands before `/add-checkpoint`.",
              }),
              monitoring_url: nullableText("x-http-url", {
                description: "Its monitoring prefix, where it hands out what it cosigned. Default: `url`.",
              }),
            },
            "A witness.",
          ),
          "Witnesses (C2SP tlog-witness) that cosign checkpoints, so that the log can tell nobody another story. Each is offered the newest at once, and every minute until it has it.",
        ),
        witness_quorum: Type.Unsafe<number | null>({
          type: ["integer", "null"],
          minimum: 1,
          default: null,
          description:
            "How many witnesses must have cosigned a checkpoint for it to be served as vouched for. Default: more than half of those that count.",
        }),
        streams: list(
          object(
            {
              type: Type.Unsafe<"splunk_hec" | "http_ndjson">({
                type: "string",
                enum: ["splunk_hec", "http_ndjson"],
                description: "Splunk's HTTP Event Collector, or lines of JSON by POST.",
              }),
              name: Type.Unsafe<string | null>({
                type: ["string", "null"],
                minLength: 1,
                maxLength: 64,
                default: null,
                description:
                  "What its place in the log is kept under: another name begins with the first entry. Default: the host of `url`.",
              }),
              url: text("x-http-url", {
                description:
                  "Where entries are posted to; of Splunk the address before `/services/collector` is enough.",
              }),
              token: nullableText("x-token", {
                "x-secret": true,
                description: "Of Splunk the HEC token; else sent as a bearer token, where there is one.",
              }),
            },
            "A receiver.",
          ),
          "SIEMs that get every entry of the audit log, in order and at least once.",
        ),
        partition_entries: Type.Integer({
          minimum: 16,
          maximum: 100_000_000,
          default: 1_000_000,
          description:
            "Entries in each partition of the audit log, and in each file of an archive (`vaultops audit archive`). A change counts for partitions made from then on.",
        }),
        witness_url: nullableText("x-http-url", {
          description: "Of release 0.1, and ignored: name the witness among `witnesses`.",
        }),
      },
      "Evidence of the audit log outside the database.",
    ),
    secrets: section(
      {
        keys: nullableText("x-secret-keys", {
          "x-secret": true,
          description:
            "Keys that seal the secrets of channels and webhooks: 32 bytes each in base64 (`openssl rand -base64 32`), separated by commas. The first seals, the others open. Without one a key is made in `data_dir/secrets/keys` at the first start. `vaultops keys rotate` seals everything anew.",
        }),
      },
      "Secrets at rest.",
    ),
    alerts: section(
      {
        system_channels: list(
          Type.String({ minLength: 1 }),
          "Ids of the channels that get alerts which concern no vault.",
        ),
        collect_seconds: Type.Number({
          minimum: 0,
          maximum: 60,
          default: 0.5,
          description:
            "How long chat and mail channels wait for more alerts before they send, so that an incident is one message. 0 sends at once.",
        }),
        history_days: Type.Integer({
          default: 400,
          minimum: 1,
          maximum: 36_500,
          description: "How long alerts that are resolved, and silences that have ended, are kept.",
        }),
        rules: AlertRules,
      },
      "Alerts.",
    ),
    egress: section(
      {
        allowed_networks: list(
          text("x-network", {}),
          "Networks (CIDR) that webhooks and channels may reach although they are not public, such as `127.0.0.0/8` in a test.",
        ),
        allow_http: Type.Boolean({
          default: false,
          description: "Whether webhooks and channels may use plain http.",
        }),
        proxy: nullableText("x-proxy-url", {
          "x-secret": true,
          description:
            "Proxy for everything that the service asks over HTTP, RPC nodes and identity providers included, by CONNECT: `http://proxy.example:3128`, or `environment` for what `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say. This machine is reached without it, and so is the mail server. URLs of webhooks and channels are resolved and judged here, and the proxy is asked for the address.",
        }),
        proxy_resolves: Type.Boolean({
          default: false,
          description:
            "Whether the proxy is asked for names of webhooks and channels instead, for networks without a resolver of their own. The proxy alone then keeps them from inner addresses.",
        }),
      },
      "Outgoing requests.",
    ),
    smtp: section(
      {
        url: nullableText("x-smtp-url", {
          "x-secret": true,
          description: "Mail server (`smtps://user:password@host:port`), for email channels.",
        }),
        from: nullableString("Sender of the mails, `VaultOps <alerts@example.org>`."),
        oauth2: section(
          {
            token_url: nullableText("x-http-url", {
              description:
                "Where access tokens are got (`https://login.microsoftonline.com/TENANT/oauth2/v2.0/token`). With it the service signs in as the user of `smtp.url`, which then holds no password, by XOAUTH2.",
            }),
            client_id: nullableString("The service's id at the provider."),
            client_secret: nullableText("x-secret-text", {
              "x-secret": true,
              description: "The client's secret, where it has one.",
            }),
            refresh_token: nullableText("x-secret-text", {
              "x-secret": true,
              description:
                "A refresh token, which tokens are got with. Without one they are got on the client's own credentials.",
            }),
            scope: nullableString("The scope asked for, such as `https://outlook.office365.com/.default`."),
          },
          "For mail servers without basic authentication.",
        ),
        allowed_domains: list(
          Type.String({ pattern: "^[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63}){1,10}$" }),
          "Domains (`example.org`, without their subdomains) whose addresses get mail without confirming it. Any other address is first asked by a mail with a link.",
        ),
      },
      "Mail.",
    ),
    telemetry: section(
      {
        otlp_url: nullableText("x-http-url", {
          description:
            "Collector that takes traces by OTLP over HTTP, without `/v1/traces` (`http://127.0.0.1:4318`). Without one nothing is traced.",
        }),
        otlp_headers: nullableText("x-secret-text", {
          "x-secret": true,
          description: "Headers that it asks for: `name=value`, separated by commas.",
        }),
        sample_ratio: Type.Number({
          minimum: 0,
          maximum: 1,
          default: 1,
          description: "How large a part of traces is sent.",
        }),
      },
      "Traces.",
    ),
    log: section(
      {
        level: Type.Unsafe<"fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent">({
          type: "string",
          enum: ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
          default: "info",
          description: "Least level that is written. `debug` adds every successful read.",
        }),
      },
      "The log, JSON lines on standard output.",
    ),
  },
  "The configuration.",
);

export type Config = Static<typeof ConfigSchema>;
