// The keys of the configuration that say who may sign in: identity providers, the embedded one, and what a wallet may do by what it is.
import { Type } from "typebox";
import { AddressParam } from "../platform/http/schemas.ts";
import { list, nullableString, nullableText, object, section } from "./keys.ts";

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
    contract_wallets: Type.Unsafe<"accept" | "refuse">({
      type: "string",
      enum: ["accept", "refuse"],
      default: "accept",
      description:
        "What a token is worth whose claim names a chain (CAIP-10, `did:pkh`) and a wallet that is a contract: its roles on that chain alone, or 401.",
    }),
    console: section(
      {
        client_id: nullableString(
          "The console's client at the provider, for OpenID Connect's code flow with PKCE: a public client with the redirect URI `{public_url}/sign-in`. It must be among `audience`, and `issuer` the provider's URL.",
        ),
        scope: Type.String({
          default: "openid",
          pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$",
          description: "What the console asks for; `openid` among it.",
        }),
        sign_in_url: nullableText("x-http-url", {
          description:
            "Instead of `client_id`, for a provider with an SDK of its own (`dynamic`, `privy`): a page of yours that signs in and returns to `redirect_uri` with `#token=…&state=…`.",
        }),
      },
      "How the console signs in with the provider. Without it a token is handed over by hand.",
    ),
  },
  "An identity provider whose tokens are accepted.",
);

export const auth = section(
  {
    issuers: list(issuer, "Trusted identity providers."),
    embedded: section(
      {
        enabled: Type.Boolean({
          default: false,
          description: "Whether the service signs wallets in itself, at `{public_url}/identity`.",
        }),
        keys: nullableText("x-issuer-keys", {
          "x-secret": true,
          description:
            "Its signing keys, for services of several processes: JSON objects as `vaultops keys create --for identity-provider` prints them, one a line. The newest signs; an older one stays until its last token has run out. Without them a key is made in `data_dir/identity` at the first start.",
        }),
      },
      "The embedded identity provider.",
    ),
    safe_signers: Type.Unsafe<"none" | "view_only" | "operator">({
      type: "string",
      enum: ["none", "view_only", "operator"],
      default: "view_only",
      description:
        "What the owners of a Safe and the proposers of a timelock hold on a vault of which that holds a role, up to the owners of a Safe that proposes to a timelock.",
    }),
    registry_maintainers: list(
      AddressParam,
      "Wallets that may read all vaults' data. With a contract's signature none may: it counts on one chain only.",
    ),
  },
  "Who may sign in.",
);
