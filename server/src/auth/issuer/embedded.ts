// The embedded identity provider: a wallet signs a message (EIP-712) and gets a JWT.
// It is an issuer like any other: its own keys and JWKS, and tokens that this service checks like everyone else's. The service
// reads its keys from the same files instead of asking itself over HTTP, which is the only privilege it has.
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { type Hex, hashTypedData, type TypedDataDefinition } from "viem";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { route } from "../../platform/http/route.ts";
import { AddressParam, ChainId, named, OneOf, strictBody, Timestamp } from "../../platform/http/schemas.ts";
import { timestampOfSeconds } from "../../platform/http/time.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";
import { localKeySet } from "../tokens/jwks.ts";
import type { TrustedIssuer } from "../tokens/verify.ts";
import { issueChallenge, presentChallenge, spendChallenge, typedDataOf } from "./challenge.ts";
import { type IssuerKeys, openGivenIssuerKeys, openIssuerKeys } from "./keys.ts";
import { signatureTypeOf, type VerifyOnChain } from "./signature.ts";

const SESSION_SECONDS = 3_600;
const READ_SECONDS = 86_400;
/** How long a key's signature of a challenge is taken. A contract's is for as long as the challenge lives. */
const KEY_SECONDS = 300;
/** Room for the deployment data of a wallet that does not exist yet (ERC-6492). */
const MAX_SIGNATURE_CHARACTERS = 65_536;
const MAX_BODY_BYTES = MAX_SIGNATURE_CHARACTERS + 8_192;

export interface EmbeddedOptions {
  /** `{public_url}/identity`, without a trailing slash: the issuer's name, and where its routes answer. */
  authUrl: string;
  /** For whom its tokens are: the service's public URL. */
  audience: string;
  /** Where its keys are kept, unless they are given. */
  dir: string;
  /** Its keys where the configuration gives them: `auth.embedded.keys`, which may change. */
  given?: (() => string | null) | undefined;
  /** Chains on which a wallet may sign in. */
  chainIds: readonly number[];
  db: Pick<Database, "kysely">;
  clock: Clock;
  log: Logger;
  verifyOnChain: VerifyOnChain;
}

export interface EmbeddedIssuer {
  feature: Feature;
  /** How the service trusts it. */
  trusted: TrustedIssuer;
  authUrl: string;
  chainIds: readonly number[];
}

/** Opens the issuer's keys, making them at the first start. */
export async function openEmbeddedIssuer(options: EmbeddedOptions): Promise<EmbeddedIssuer> {
  const { authUrl, audience, clock, log } = options;
  const keys = await openKeys(options);
  return {
    authUrl,
    chainIds: options.chainIds,
    feature: { name: "identity", routes: (app) => addRoutes(app, keys, options) },
    trusted: {
      issuer: authUrl,
      audience: [audience],
      keys: localKeySet("embedded", () => keys.jwks(), { clock, log }),
      algorithms: ["ES256"],
      clockToleranceSeconds: 30,
      profile: "generic",
      walletClaim: "wallet_address",
      contractWallets: "accept",
    },
  };
}

async function openKeys({ dir, given, clock, log }: EmbeddedOptions): Promise<IssuerKeys> {
  if (given !== undefined && given() !== null) return openGivenIssuerKeys(() => given() ?? "", clock);
  const keys = await openIssuerKeys(dir, clock);
  if (keys.isNew) log.info({ dir }, "created a signing key for the embedded identity provider");
  return keys;
}

const tags = ["Identity"];

function addRoutes(app: FastifyInstance, keys: IssuerKeys, options: EmbeddedOptions): void {
  const { authUrl, chainIds, db, clock } = options;

  route(
    app,
    "GET",
    "/identity/.well-known/jwks.json",
    {
      schema: {
        tags,
        summary: "Public keys of the embedded identity provider",
        description: "JWK Set (RFC 7517). Fetch it again when a token names a key that is not in it.",
        response: {
          200: named(
            "JwkSet",
            Type.Object({ keys: Type.Array(Type.Object({}, { additionalProperties: true })) }),
          ),
        },
      },
      config: { permission: "public" },
    },
    async (request, reply) => polled(request, reply, JSON.stringify(await keys.jwks())),
  );

  route(
    app,
    "POST",
    "/identity/challenge",
    {
      schema: {
        tags,
        summary: "Ask for a message to sign",
        description:
          "The wallet signs `typed_data` (EIP-712, `eth_signTypedData_v4`) and sends the signature to `/identity/token`. A challenge can be used once, within an hour; with a key's signature, within five minutes. A contract signs for the chain of `chain_id` alone. Its `isValidSignature` is called with `hash`.",
        body: named("ChallengeRequest", strictBody({ address: AddressParam, chain_id: ChainId })),
        response: {
          200: named(
            "Challenge",
            Type.Object({
              challenge_id: Type.String(),
              typed_data: Type.Object({}, { additionalProperties: true }),
              hash: Type.String({ description: "The EIP-712 hash of `typed_data`, 32 bytes in hex." }),
              expires_at: Timestamp,
            }),
          ),
        },
      },
      config: { permission: "public", rateLimit: "challenge", problems: ["chain_not_found"] },
    },
    async (request) => {
      const { address, chain_id } = request.body;
      if (!chainIds.includes(chain_id))
        throw new Problem(
          "chain_not_found",
          `This service does not sign wallets in on chain ${chain_id}: name a chain of its configuration.`,
        );
      const challenge = await issueChallenge(db, address, chain_id, clock.now());
      const typedData = typedDataOf(challenge, authUrl);
      return {
        challenge_id: challenge.id,
        typed_data: typedData,
        hash: hashTypedData(typedData as unknown as TypedDataDefinition),
        expires_at: challenge.expiresAt,
      };
    },
  );

  route(
    app,
    "POST",
    "/identity/token",
    {
      schema: {
        tags,
        summary: "Exchange a signature for a JWT",
        description:
          "Signatures of keys (65 bytes, or 64 as in EIP-2098), of contracts (ERC-1271) and of contracts not yet deployed (ERC-6492). A contract that accepts an empty signature, as a Safe does of an approved message, signs with `0x`. With a contract's signature only the roles on the challenge's chain count. Without `scope` the token is a session of an hour; `scope: \"read\"` gives one of up to 24 hours that may only read.",
        body: TokenRequestSchema,
        response: { 200: named("IssuedToken", Type.Object({ token: Type.String(), expires_at: Timestamp })) },
      },
      bodyLimit: MAX_BODY_BYTES,
      config: { permission: "public", problems: ["sign_in_refused"] },
    },
    async (request) => {
      const { address, challenge_id, signature } = request.body;
      const lifeSeconds = lifeOf(request.body);
      const challenge = await presentChallenge(db, challenge_id, clock.now());
      if (challenge === null || challenge.wallet !== address)
        throw refused("The challenge is unknown, used up or expired. Ask for a new one.");
      const signatureType = await signatureTypeOf(
        address,
        typedDataOf(challenge, authUrl),
        signature,
        options.verifyOnChain,
      );
      if (signatureType === null)
        throw refused("The signature is not this wallet's signature of the challenge.");
      if (signatureType === "key" && clock.now() > Date.parse(challenge.issuedAt) + KEY_SECONDS * 1000)
        throw refused("A key signs within five minutes. Ask for a new challenge.");
      if (!(await spendChallenge(db, challenge.id, clock.now())))
        throw refused("Another request has used the challenge. Ask for a new one.");

      const issuedAt = Math.floor(clock.now() / 1000);
      const token = await keys.sign({
        iss: authUrl,
        aud: options.audience,
        sub: address,
        wallet_address: address,
        chain_id: challenge.chainId,
        signature_type: signatureType,
        iat: issuedAt,
        exp: issuedAt + lifeSeconds,
        jti: randomUUID(),
        ...(request.body.scope === "read" ? { scope: "read" } : {}),
      });
      return { token, expires_at: timestampOfSeconds(issuedAt + lifeSeconds) };
    },
  );
}

const TokenRequestSchema = named(
  "TokenRequest",
  strictBody({
    address: AddressParam,
    challenge_id: Type.String({ format: "uuid" }),
    signature: Type.Unsafe<Hex>({
      type: "string",
      pattern: "^0x(?:[0-9a-fA-F]{2})*$",
      maxLength: MAX_SIGNATURE_CHARACTERS,
      description:
        "The signature of `typed_data`: `0x` and an even number of hexadecimal digits; `0x` alone is the empty one.",
    }),
    scope: Type.Optional(OneOf(["full", "read"], { description: "`read` for a token that may only read." })),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: READ_SECONDS,
        description:
          "Lifetime in seconds: at most 3600, or 86400 with `scope: read`. The default is the maximum.",
      }),
    ),
  }),
);

function lifeOf({ scope, expires_in }: Static<typeof TokenRequestSchema>): number {
  const longest = scope === "read" ? READ_SECONDS : SESSION_SECONDS;
  if (expires_in !== undefined && expires_in > longest) {
    const message = `must be at most ${longest} without scope read`;
    throw new Problem("invalid_request", `expires_in ${message}.`, {
      errors: [{ path: "/expires_in", message }],
    });
  }
  return expires_in ?? longest;
}

function refused(detail: string): Problem {
  return new Problem("sign_in_refused", detail, { headers: { "www-authenticate": "Bearer" } });
}
