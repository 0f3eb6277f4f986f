// Who the caller is: `auth/me` and `auth/verify` for any valid token, `auth/config` for whoever wants to sign in.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Feature } from "../platform/feature.ts";
import { etagOf, polled } from "../platform/http/etag.ts";
import { AddressText, ChainId, Nullable, OneOf, Timestamp } from "../platform/http/schemas.ts";
import { timestampOfSeconds } from "../platform/http/time.ts";
import type { Caller, VaultGrant } from "../platform/permission.ts";
import type { ProfileName } from "./profiles/profile.ts";
import { isManagerRole } from "./vaults.ts";

export interface AuthFeatureDeps {
  issuers: readonly { issuer: string; profile: ProfileName }[];
  /** The embedded identity provider, where it is on. */
  embedded: { authUrl: string; chainIds: readonly number[] } | null;
}

export function authFeature(deps: AuthFeatureDeps): Feature {
  return { name: "auth", routes: (app) => addRoutes(app, deps) };
}

const tags = ["Authentication"];

function addRoutes(app: FastifyInstance, { issuers, embedded }: AuthFeatureDeps): void {
  const me = kept(renderMe);
  const verified = kept(renderVerified);

  app.get(
    "/api/v1/auth/me",
    {
      schema: {
        tags,
        summary: "The caller's wallet and vault roles",
        description:
          "The primary way to confirm a JWT. Roles follow the chain: a change in a block is in the answer as soon as the service has the block.",
        response: { 200: MeSchema },
      },
      config: { permission: "authenticated" },
    },
    (request, reply) => answer(request, reply, me),
  );

  app.get(
    "/api/v1/auth/verify",
    {
      schema: {
        tags,
        summary: "Validate a JWT",
        description:
          "The same check in another shape: field names are camelCase, and `vaults` lists the addresses of the vaults that the wallet manages.",
        response: { 200: VerifySchema },
      },
      config: { permission: "authenticated" },
    },
    (request, reply) => answer(request, reply, verified),
  );

  const config = JSON.stringify({
    issuers: issuers.map(({ issuer, profile }) => ({ issuer, profile })),
    embedded: embedded === null ? null : { auth_url: embedded.authUrl, chain_ids: embedded.chainIds },
  });
  app.get(
    "/api/v1/auth/config",
    {
      schema: {
        tags,
        summary: "How to sign in",
        description:
          "The identity providers whose tokens are accepted, and the address of the embedded one where it is on.",
        response: { 200: ConfigSchema },
      },
      config: { permission: "public" },
    },
    (request, reply) => polled(request, reply, config, { publicMaxAgeSeconds: 60 }),
  );
}

const LIMIT =
  "The only chain whose roles count with this token: a contract signed for it, and on another chain another contract may stand at its address. Null for a key's signature, which counts everywhere.";

const MeSchema = Type.Object({
  wallet_address: AddressText,
  is_manager: Type.Boolean({
    description: "Whether the wallet is a primary or secondary manager of any vault.",
  }),
  vaults: Type.Array(
    Type.Object({
      vault_address: AddressText,
      chain_id: ChainId,
      role: OneOf(["primary_manager", "secondary_manager", "view_only"], {
        description: "The wallet's strongest role on that vault.",
      }),
    }),
  ),
  is_registry_maintainer: Type.Boolean({ description: "Whether the wallet may read every vault." }),
  scope: OneOf(["full", "read"]),
  expires_at: Type.Unsafe<string>({ ...Timestamp, description: "When the token expires." }),
  limited_to_chain_id: Type.Unsafe<number | null>({ ...Nullable(ChainId), description: LIMIT }),
});

const VerifySchema = Type.Object({
  verified: Type.Boolean(),
  walletAddress: AddressText,
  isManager: Type.Boolean(),
  vaults: Type.Array(AddressText, { description: "Addresses of the vaults that the wallet manages." }),
  limitedToChainId: Type.Unsafe<number | null>({ ...Nullable(ChainId), description: LIMIT }),
});

const ConfigSchema = Type.Object({
  issuers: Type.Array(
    Type.Object({ issuer: Type.String(), profile: OneOf(["dynamic", "privy", "generic"]) }),
  ),
  embedded: Nullable(Type.Object({ auth_url: Type.String(), chain_ids: Type.Array(ChainId) })),
});

/** An answer as it was last made, and for whom. */
interface Kept {
  caller: Caller;
  body: string;
  etag: string;
}

/**
 * Makes an answer once for a caller and its grants: those are the same array for as long as they say the same, and a poller asks
 * far more often than its roles change.
 */
function kept(render: (caller: Caller) => string): (caller: Caller) => Kept {
  const last = new WeakMap<readonly VaultGrant[], Kept>();
  return (caller) => {
    const known = last.get(caller.grants);
    if (known !== undefined && isSameCaller(known.caller, caller)) return known;
    const body = render(caller);
    const fresh = { caller, body, etag: etagOf(body) };
    last.set(caller.grants, fresh);
    return fresh;
  };
}

function isSameCaller(a: Caller, b: Caller): boolean {
  return (
    a.wallet === b.wallet &&
    a.scope === b.scope &&
    a.expiresAt === b.expiresAt &&
    a.limitedToChainId === b.limitedToChainId &&
    a.isMaintainer === b.isMaintainer
  );
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  answerFor: (caller: Caller) => Kept,
): FastifyReply {
  const { body, etag } = answerFor(request.caller as Caller);
  return polled(request, reply, body, { etag });
}

function renderMe(caller: Caller): string {
  return JSON.stringify({
    wallet_address: caller.wallet,
    is_manager: caller.grants.some(({ role }) => isManagerRole(role)),
    vaults: caller.grants.map(({ vaultAddress, chainId, role }) => ({
      vault_address: vaultAddress,
      chain_id: chainId,
      role,
    })),
    is_registry_maintainer: caller.isMaintainer,
    scope: caller.scope,
    expires_at: timestampOfSeconds(caller.expiresAt),
    limited_to_chain_id: caller.limitedToChainId,
  });
}

function renderVerified(caller: Caller): string {
  const managed = caller.grants.filter(({ role }) => isManagerRole(role));
  return JSON.stringify({
    verified: true,
    walletAddress: caller.wallet,
    isManager: managed.length > 0,
    // One contract address can be a vault on several chains.
    vaults: [...new Set(managed.map(({ vaultAddress }) => vaultAddress))],
    limitedToChainId: caller.limitedToChainId,
  });
}
