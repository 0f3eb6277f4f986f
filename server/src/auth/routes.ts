// Who the caller is: `auth/me` and `auth/verify` for any valid token, `auth/config` and
// `auth/exchange` for whoever wants to sign in.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { etagOf, polled } from "../platform/http/etag.ts";
import { route } from "../platform/http/route.ts";
import {
  AddressText,
  ChainId,
  Nullable,
  named,
  OneOf,
  strictBody,
  Timestamp,
} from "../platform/http/schemas.ts";
import { timestampOfSeconds } from "../platform/http/time.ts";
import type { Feature } from "../platform/lifecycle/feature.ts";
import type { Caller, VaultGrant } from "../platform/permission.ts";
import type { CodeFlow } from "./tokens/code-flow.ts";
import type { ProfileName } from "./tokens/profile.ts";
import { isManagerRole } from "./vaults.ts";

export interface AuthFeatureDeps {
  issuers: readonly ConsoleIssuer[];
  codeFlow: CodeFlow;
  /** The embedded identity provider, where it is on. */
  embedded: { authUrl: string; chainIds: readonly number[] } | null;
}

/** An entry of `auth.issuers`, as far as one signs in with it. */
interface ConsoleIssuer {
  issuer: string;
  profile: ProfileName;
  console: { client_id: string | null; scope: string; sign_in_url: string | null };
}

export function authFeature(deps: AuthFeatureDeps): Feature {
  return { name: "auth", routes: (app) => addRoutes(app, deps) };
}

const tags = ["Authentication"];

function addRoutes(app: FastifyInstance, { issuers, embedded, codeFlow }: AuthFeatureDeps): void {
  const me = kept(renderMe);
  const verified = kept(renderVerified);

  route(
    app,
    "GET",
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

  route(
    app,
    "GET",
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

  const configNow = async () =>
    JSON.stringify({
      issuers: await Promise.all(
        issuers.map(async (entry) => ({
          issuer: entry.issuer,
          profile: entry.profile,
          console: await consoleOf(entry, codeFlow),
        })),
      ),
      embedded: embedded === null ? null : { auth_url: embedded.authUrl, chain_ids: embedded.chainIds },
    });
  route(
    app,
    "GET",
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
    async (request, reply) => polled(request, reply, await configNow(), { publicMaxAgeSeconds: 60 }),
  );

  route(
    app,
    "POST",
    "/api/v1/auth/exchange",
    {
      schema: {
        tags,
        summary: "Exchange an authorization code for a JWT",
        description:
          "For the console, which calls no other host: exchanges the code of an external provider's OpenID Connect flow (PKCE) for its ID token. Check its `nonce`.",
        body: named(
          "CodeExchange",
          strictBody({
            issuer: Type.String({ minLength: 1, maxLength: 2048 }),
            code: Type.String({ minLength: 1, maxLength: 4096 }),
            code_verifier: Type.String({ pattern: "^[A-Za-z0-9._~-]{43,128}$" }),
            redirect_uri: Type.String({ maxLength: 2048, description: "`{public_url}/sign-in`, exactly." }),
          }),
        ),
        response: { 200: named("IssuedToken", Type.Object({ token: Type.String(), expires_at: Timestamp })) },
      },
      config: { permission: "public", rateLimit: "challenge", problems: ["sign_in_refused"] },
    },
    async ({ body }) => {
      const { token, verified } = await codeFlow.exchange({
        issuer: body.issuer,
        code: body.code,
        codeVerifier: body.code_verifier,
        redirectUri: body.redirect_uri,
      });
      return { token, expires_at: timestampOfSeconds(verified.expiresAt) };
    },
  );
}

const LIMIT =
  "The only chain whose roles count with this token: a contract signed for it, and on another chain another contract may stand at its address. Null for a key's signature, which counts everywhere.";

/** What a wallet is on a vault. */
export const RoleSchema = named(
  "Role",
  OneOf(["primary_manager", "secondary_manager", "operator", "view_only"]),
);

export const VaultRoleSchema = named(
  "VaultRole",
  Type.Object({
    vault_address: AddressText,
    chain_id: ChainId,
    role: { ...RoleSchema, description: "The wallet's strongest role on that vault." },
    accepted: Type.Boolean({
      description:
        "False until the wallet accepts the vault (`PUT /api/v1/me/vaults/{vault_id}`) or sends a transaction that the vault's audit log records: anyone can name any wallet as a manager. Webhooks for all vaults and the default lists of alerts leave the vault out until then; everything else works.",
    }),
    via: Nullable({
      ...AddressText,
      description:
        "The Safe or timelock as whose owner or proposer the wallet holds the role (`auth.safe_signers`); null where it holds it itself.",
    }),
    contract_roles: Type.Array(Type.String(), {
      description:
        "What the wallet itself holds on the vault's contract, by the contract's words (`owner`, `curator`, …), as in the vault's record. Empty for whoever holds the role by another account, by a grant, or by the configuration.",
    }),
  }),
);

const MeSchema = named(
  "Me",
  Type.Object({
    wallet_address: AddressText,
    is_manager: Type.Boolean({
      description: "Whether the wallet is a primary or secondary manager of any vault.",
    }),
    vaults: Type.Array(VaultRoleSchema),
    is_registry_maintainer: Type.Boolean({ description: "Whether the wallet may read every vault." }),
    scope: OneOf(["full", "read"]),
    expires_at: Type.Unsafe<string>({ ...Timestamp, description: "When the token expires." }),
    limited_to_chain_id: Type.Unsafe<number | null>({ ...Nullable(ChainId), description: LIMIT }),
  }),
);

const VerifySchema = named(
  "TokenVerification",
  Type.Object({
    verified: Type.Boolean(),
    walletAddress: AddressText,
    isManager: Type.Boolean(),
    vaults: Type.Array(AddressText, { description: "Addresses of the vaults that the wallet manages." }),
    limitedToChainId: Type.Unsafe<number | null>({ ...Nullable(ChainId), description: LIMIT }),
  }),
);

const ConsoleSchema = named(
  "ConsoleSignIn",
  Type.Object(
    {
      client_id: Nullable(Type.String()),
      scope: Type.String(),
      authorization_endpoint: Type.Unsafe<string | null>({
        ...Nullable(Type.String()),
        description:
          "Where the code flow begins; null while the provider does not answer, and without `client_id`.",
      }),
      requires_iss: Type.Boolean({
        description:
          "Whether the provider names itself in its answers (RFC 9207): one that does not is refused.",
      }),
      sign_in_url: Type.Unsafe<string | null>({
        ...Nullable(Type.String()),
        description: "A page of the operator's that returns `#token=…&state=…`.",
      }),
    },
    { description: "How the console signs in with it; null: a token is pasted in." },
  ),
);

const ConfigSchema = named(
  "SignInConfiguration",
  Type.Object({
    issuers: Type.Array(
      named(
        "TrustedIssuer",
        Type.Object({
          issuer: Type.String(),
          profile: OneOf(["dynamic", "privy", "generic"]),
          console: Nullable(ConsoleSchema),
        }),
      ),
    ),
    embedded: Nullable(Type.Object({ auth_url: Type.String(), chain_ids: Type.Array(ChainId) })),
  }),
);

async function consoleOf(
  { issuer, console: sign }: ConsoleIssuer,
  codeFlow: CodeFlow,
): Promise<Static<typeof ConsoleSchema> | null> {
  if (sign.client_id === null && sign.sign_in_url === null) return null;
  const provider = sign.client_id === null ? null : await codeFlow.providerOf(issuer);
  return {
    client_id: sign.client_id,
    scope: sign.scope,
    authorization_endpoint: provider?.authorizationEndpoint ?? null,
    requires_iss: provider?.tellsIssuer ?? false,
    sign_in_url: sign.sign_in_url,
  };
}

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
  request: FastifyRequest & { caller: Caller },
  reply: FastifyReply,
  answerFor: (caller: Caller) => Kept,
): FastifyReply {
  const { body, etag } = answerFor(request.caller);
  return polled(request, reply, body, { etag });
}

function renderMe(caller: Caller): string {
  return JSON.stringify({
    wallet_address: caller.wallet,
    is_manager: caller.grants.some(({ role }) => isManagerRole(role)),
    vaults: caller.grants.map(({ vaultAddress, chainId, role, isAccepted, via, contractRoles }) => ({
      vault_address: vaultAddress,
      chain_id: chainId,
      role,
      accepted: isAccepted,
      via: via ?? null,
      contract_roles: contractRoles ?? [],
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
