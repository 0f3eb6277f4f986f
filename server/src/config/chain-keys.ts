// The keys of the chains that are followed, and of the prices of their assets.
import { Type } from "typebox";
import { REGISTERED, type RegisteredFamily } from "../chain/families/registry.ts";
import { AddressParam, ChainId } from "../platform/http/schemas.ts";
import { list, nullableText, object, oneOf, text } from "./keys.ts";

/** Families with a shape of their own below; every other that is registered has the shape that they share. */
const OWN_SHAPE: ReadonlySet<string> = new Set(["supervault", "erc4626"]);

type SharedFamily = Exclude<RegisteredFamily, "supervault" | "erc4626">;

const shared = REGISTERED.filter((family): family is SharedFamily => !OWN_SHAPE.has(family)).map((family) =>
  object(
    {
      family: Type.Literal(family),
      factory: Type.Unsafe<`0x${string}` | null>({
        type: ["string", "null"],
        "x-address": true,
        default: null,
        description: "The factory, of which every vault is followed. Without it `vaults` names them.",
      }),
      vaults: list(
        object(
          {
            address: AddressParam,
            start_block: Type.Unsafe<number | null>({
              type: ["integer", "null"],
              minimum: 0,
              default: null,
              description: "Block from which its past is read; the chain's where it is left out.",
            }),
          },
          "A vault.",
        ),
        "The vaults, one by one. Without them `factory` finds them.",
      ),
      managers: list(
        AddressParam,
        "Of a factory: follow only vaults whose contract gives one of these a role that manages, be it then or when the vault was made; empty follows all. Roles that a view tells are looked at every `pps_sample_seconds`. A vault that gets a listed manager later is followed, its past with it; a vault that is followed stays followed.",
      ),
    },
    `Vaults of the family \`${family}\`, from a factory or one by one.`,
  ),
);

const source = oneOf(
  "family",
  [
    object(
      {
        family: Type.Literal("supervault"),
        aggregator: Type.Unsafe<`0x${string}`>({
          ...AddressParam,
          description: "The aggregator that creates the vaults.",
        }),
        managers: list(
          AddressParam,
          "Follow only vaults that one of these manages or managed, as primary or secondary manager; empty follows all. Where creating a vault is free, anyone can create many. A vault that gets a listed manager later is followed, its past with it, once that block is confirmed; a vault that is followed stays followed.",
        ),
      },
      "The vaults that a SuperVault aggregator deploys.",
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
    ...shared,
  ],
  "What is followed on the chain.",
);

/** A URL, or a map: keywords of texts and of maps stand side by side, and each looks at its own. */
const rpcNode = Type.Unsafe<string | { url: string; headers: Record<string, string> }>({
  type: ["string", "object"],
  "x-rpc-url": true,
  properties: {
    url: text("x-rpc-url", { description: "The endpoint." }),
    headers: Type.Record(Type.String(), Type.String(), {
      default: {},
      description:
        "Headers of each request, by name: `{ x-api-key: { file: /run/secrets/rpc_key } }`. A value is read from the file that is named; as text it is accepted only with the whole chain from `VAULTOPS_CHAINS`.",
    }),
  },
  required: ["url"],
  additionalProperties: false,
});

export const chain = object(
  {
    chain_id: ChainId,
    name: Type.String({ minLength: 1, maxLength: 64, description: "The chain's name, as shown." }),
    explorer_url: nullableText("x-http-url", { description: "Block explorer, for links." }),
    rpc_urls: list(
      rpcNode,
      "JSON-RPC endpoints (http, https), in order of preference: the first healthy one serves, the others are compared with it. A ws or wss URL announces new blocks, in addition to polling. Each is a URL, or a map of `url` and the `headers` that the node asks for. Shown nowhere but as host.",
      1,
    ),
    rpc_quorum: Type.Integer({
      minimum: 1,
      maximum: 5,
      default: 1,
      description:
        "How many of the http endpoints must have a block before it counts as confirmed. With 2, no single node is trusted; use nodes of different providers.",
    }),
    confirmations: Type.Unsafe<number | "safe" | "finalized">({
      type: ["integer", "string"],
      "x-confirmations": true,
      default: 12,
      description:
        "How many blocks must stand on a block before its audit entries, events and jobs are written; `safe` or `finalized` asks the node instead. 0 means at once.",
    }),
    start_block: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: "Block from which the past is read.",
    }),
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
    safe_singletons: list(
      AddressParam,
      "Singletons of Safes besides the published ones of 1.3.0, 1.4.1 and 1.5.0: only a Safe before one of these tells who its owners are.",
    ),
    sources: list(source, "What is followed."),
  },
  "A chain.",
);

export const price = oneOf(
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
