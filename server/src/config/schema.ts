// The one schema of the configuration. It validates the file and the environment, and docs/configuration.md is drawn from it, so a
// description here is what an operator reads.
//
// Own keywords: `x-secret` (a value with a password or key in it: only by environment or `<key>_file`), and the text forms of
// config/forms.ts. Every section and key has a default, but for what only the operator can know.
import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { AddressParam, ChainId, VaultIdParam } from "../platform/http/schemas.ts";
import { AlertRules } from "./alert-rules.ts";

const object = <T extends TProperties>(properties: T, description: string) =>
  Type.Object(properties, { additionalProperties: false, description });

/** A section of the file: all its keys have defaults, so it may be left out. */
const section = <T extends TProperties>(properties: T, description: string) =>
  Type.Object(properties, { additionalProperties: false, default: {}, description });

const list = <T extends TSchema>(items: T, description: string, minItems = 0) =>
  Type.Array(items, { default: minItems === 0 ? [] : undefined, minItems, description }) as ReturnType<
    typeof Type.Array<T>
  >;

const text = (form: string, options: object) =>
  Type.Unsafe<string>({ type: "string", [form]: true, ...options });
const nullableText = (form: string, options: object) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], [form]: true, default: null, ...options });

const nullableString = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], minLength: 1, default: null, description });

const port = (fallback: number, description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: fallback,
    description: `${description} 0 takes any free one.`,
  });

const perMinute = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, default: fallback, description });

/** One of several shapes, told apart by the value of one key. */
function oneOf<const T extends readonly TSchema[]>(tag: string, shapes: T, description: string) {
  return Type.Unsafe<Static<T[number]>>({
    type: "object",
    required: [tag],
    discriminator: { propertyName: tag },
    oneOf: [...shapes],
    description,
  });
}

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
        per_wallet: perMinute(10_000, "Requests a minute for one wallet."),
        per_ip: perMinute(600, "Requests a minute without a token, for one IPv4 address or IPv6 /64."),
        challenges_per_ip: perMinute(60, "Sign-in challenges a minute for one IPv4 address or IPv6 /64."),
      },
      "Quotas, per process.",
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
  },
  "The admin listener: metrics, for the operator's own network.",
);

const database = section(
  {
    url: nullableText("x-postgres-url", {
      "x-secret": true,
      description:
        "PostgreSQL 15 to 18, as the application's role. Without one the service runs its own server under `data_dir`.",
    }),
    owner_url: nullableText("x-postgres-url", {
      "x-secret": true,
      description:
        "The same database as its owner, for migrations. Without it (beside `url`) the append-only rule of the audit log is not held by the database, and `/readyz` says so.",
    }),
    replica_url: nullableText("x-postgres-url", {
      "x-secret": true,
      description: "A streaming replica for reads.",
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

const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"] as const;

const issuer = object(
  {
    issuer: Type.String({ minLength: 1, description: "The token's `iss`, exactly." }),
    audience: Type.Unsafe<string[] | "any">({
      type: ["array", "string"],
      "x-audience": true,
      description:
        "One of these must be in the token's `aud`. `any` takes every audience, which is warned of: anybody's tokens of that issuer are then accepted.",
    }),
    jwks_url: nullableText("x-url", {
      description: "Where the issuer's public keys are. Either this or `jwks_file`.",
    }),
    jwks_file: nullableString("A file with the issuer's public keys (JWKS)."),
    algorithms: Type.Array(
      Type.Unsafe<(typeof ALGORITHMS)[number]>({ type: "string", enum: [...ALGORITHMS] }),
      {
        minItems: 1,
        uniqueItems: true,
        default: [...ALGORITHMS],
        description: "Accepted signature algorithms.",
      },
    ),
    clock_tolerance_seconds: Type.Integer({
      minimum: 0,
      maximum: 300,
      default: 30,
      description: "Leeway for `exp` and `nbf`.",
    }),
    profile: Type.Unsafe<"dynamic" | "privy" | "generic">({
      type: "string",
      enum: ["dynamic", "privy", "generic"],
      description: "Where in the token the wallet is found.",
    }),
    wallet_claim: nullableString(
      "Profile `generic`: the claim that holds the wallet. Default: `wallet_address`, else a `sub` that is an address.",
    ),
  },
  "An identity provider whose tokens are accepted.",
);

const auth = section(
  {
    issuers: list(issuer, "Trusted identity providers."),
    embedded: section(
      {
        enabled: Type.Boolean({
          default: false,
          description: "Whether the service signs wallets in itself, at `{public_url}/identity`.",
        }),
      },
      "The embedded identity provider.",
    ),
    registry_maintainers: list(AddressParam, "Wallets that may read all vaults' data."),
  },
  "Who may sign in.",
);

const source = oneOf(
  "family",
  [
    object(
      {
        family: Type.Literal("supervault"),
        aggregator: Type.Unsafe<`0x${string}`>({
          ...AddressParam,
          description: "The aggregator that announces the vaults.",
        }),
      },
      "All vaults that a SuperVault aggregator deploys.",
    ),
    object(
      {
        family: Type.Literal("erc4626"),
        vaults: Type.Array(
          object(
            {
              address: AddressParam,
              primary_manager: Type.Unsafe<`0x${string}` | null>({
                type: ["string", "null"],
                "x-address": true,
                default: null,
                description: "Who manages the vault, where the contract does not say.",
              }),
            },
            "A vault.",
          ),
          { minItems: 1, description: "The vaults, one by one." },
        ),
      },
      "ERC-4626 vaults (ERC-7540 and ERC-7575 are recognised).",
    ),
  ],
  "What is followed on the chain.",
);

const chain = object(
  {
    chain_id: ChainId,
    name: Type.String({ minLength: 1, maxLength: 64, description: "The chain's name, as shown." }),
    explorer_url: nullableText("x-http-url", { description: "Block explorer, for links." }),
    rpc_urls: list(
      text("x-rpc-url", {}),
      "JSON-RPC endpoints (http, https), in order of preference: the first healthy one serves, the others are compared with it. Of a ws or wss URL new heads are heard beside polling. Shown nowhere but as host.",
      1,
    ),
    rpc_quorum: Type.Integer({
      minimum: 1,
      maximum: 5,
      default: 1,
      description:
        "How many of the http endpoints must have a block before it counts as confirmed. 2 believes no single node; use nodes of different providers.",
    }),
    confirmations: Type.Unsafe<number | "safe" | "finalized">({
      type: ["integer", "string"],
      "x-confirmations": true,
      default: 12,
      description:
        "How many blocks must stand on a block before its audit entries, events and jobs are written; `safe` or `finalized` asks the node instead. 0 means at once.",
    }),
    start_block: Type.Integer({ minimum: 0, default: 0, description: "Block from which the past is read." }),
    max_lag_seconds: Type.Integer({
      minimum: 1,
      default: 300,
      description:
        "How far the newest block known may lie behind the clock before `/readyz` names the chain.",
    }),
    pps_sample_seconds: Type.Integer({
      minimum: 1,
      default: 300,
      description: "How often a vault's state is read although nothing happened to it.",
    }),
    sources: list(source, "What is followed."),
  },
  "A chain.",
);

const price = oneOf(
  "source",
  [
    object(
      {
        source: Type.Literal("chainlink"),
        chain_id: ChainId,
        address: AddressParam,
        feed: Type.Unsafe<`0x${string}`>({
          ...AddressParam,
          description: "The price feed (USD), on the same chain.",
        }),
        max_age_seconds: Type.Integer({
          minimum: 1,
          default: 86_400,
          description: "Age at which a round is too old to use.",
        }),
      },
      "A Chainlink feed.",
    ),
    object(
      {
        source: Type.Literal("defillama"),
        url: text("x-http-url", {
          default: "https://coins.llama.fi",
          description: "Base of the service's API.",
        }),
        min_confidence: Type.Number({
          minimum: 0,
          maximum: 1,
          default: 0.9,
          description: "Confidence below which a price is not used.",
        }),
      },
      "DefiLlama's prices over HTTP, for every asset.",
    ),
    object(
      {
        source: Type.Literal("static"),
        chain_id: ChainId,
        address: AddressParam,
        usd: Type.Number({ exclusiveMinimum: 0, description: "US dollars for one whole token." }),
      },
      "A fixed price.",
    ),
  ],
  "A source of prices.",
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
      description: "SHA-256 of the token, in hex (`vaultops ingest-token create`).",
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
        checkpoint_file: nullableString(
          "A file to which every signed checkpoint of the audit log is appended: evidence outside the database.",
        ),
        witness_url: nullableText("x-http-url", {
          description:
            "Where every signed checkpoint is posted as `text/plain`: a witness outside the database.",
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
      },
      "Outgoing requests to addresses that users name.",
    ),
    smtp: section(
      {
        url: nullableText("x-smtp-url", {
          "x-secret": true,
          description: "Mail server (`smtps://user:password@host:port`), for email channels.",
        }),
        from: nullableString("Sender of the mails, `VaultOps <alerts@example.org>`."),
      },
      "Mail.",
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
