// Members of a vault: who has which role, operator and view_only for those whom its managers let in, and whether a wallet
// has made its own a vault that names it.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { zeroAddress } from "viem";
import type { Database } from "../../platform/db/db.ts";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { route } from "../../platform/http/route.ts";
import {
  AddressParam,
  AddressText,
  ChainId,
  Nullable,
  named,
  OneOf,
  strictBody,
  Timestamp,
  VaultAddressPath,
  VaultIdParam,
} from "../../platform/http/schemas.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import type { Caller, VaultGrant } from "../../platform/permission.ts";
import { parseVaultId, type VaultRef } from "../../vault.ts";
import { accept } from "../acceptance.ts";
import type { Grants } from "../grants.ts";
import { RoleSchema, VaultRoleSchema } from "../routes.ts";
import { grantOn } from "../vaults.ts";
import { GRANTED_ROLES, grantRole, listMembers, revokeRole } from "./store.ts";

export interface MembersDependencies {
  db: Pick<Database, "kysely" | "transaction">;
  /** Told of each change, so that the wallet concerned finds it in its next answer. */
  grants: Pick<Grants, "changed">;
}

export function membersFeature(dependencies: MembersDependencies): Feature {
  return {
    name: "members",
    routes(app) {
      addRoutes(app, dependencies);
      addAcceptance(app, dependencies);
    },
  };
}

const COLLECTION = "/api/v1/vaults/:chain_id/:vault_address/members";
const tags = ["Members"];

const MemberSchema = named(
  "Member",
  Type.Object({
    wallet: AddressText,
    role: RoleSchema,
    granted_by: Nullable(AddressText),
    granted_at: Nullable(Timestamp),
  }),
);

const MemberPath = Type.Object({ chain_id: ChainId, vault_address: AddressParam, wallet: AddressParam });

function addRoutes(app: FastifyInstance, { db, grants }: MembersDependencies): void {
  route(
    app,
    "GET",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Members of a vault",
        description:
          "Managers follow the chain: they have no `granted_by`, and `granted_at` is the time of the block that gave the role (null for a manager named by the configuration). A wallet with an onchain role and a grant is listed twice.",
        params: VaultAddressPath,
        response: { 200: Type.Array(MemberSchema) },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) =>
      polled(request, reply, JSON.stringify(await listMembers(db, placeOf(request.params)))),
  );

  route(
    app,
    "PUT",
    `${COLLECTION}/:wallet`,
    {
      schema: {
        tags,
        summary: "Let a wallet see or operate the vault",
        description:
          "201 for a new grant, 200 when the wallet has one already, which becomes the one asked for; 409 for a wallet with an onchain role. `operator` (channels, alert rules, acknowledgements, silences and webhooks) is given and taken by a primary manager alone, `view_only` by every manager.",
        params: MemberPath,
        body: named("MemberRole", strictBody({ role: OneOf([...GRANTED_ROLES]) })),
        response: { 200: MemberSchema, 201: MemberSchema },
      },
      config: { permission: "vault_manager", isRecorded: true, problems: ["conflict"] },
    },
    async (request, reply) => {
      const { wallet } = request.params;
      if (wallet === zeroAddress) throw new Problem("invalid_address", "Nobody holds the zero address.");
      const place = placeOf(request.params);
      const { member, isNew } = await grantRole(
        db,
        place,
        wallet,
        request.body.role,
        giverOf(request.caller, place),
      );
      grants.changed();
      return reply.code(isNew ? 201 : 200).send(member);
    },
  );

  route(
    app,
    "DELETE",
    `${COLLECTION}/:wallet`,
    {
      schema: {
        tags,
        summary: "Take operator or view_only back",
        description: "409 for a wallet whose only role is an onchain one.",
        params: MemberPath,
        response: { 204: Type.Unsafe<undefined>({ type: "null", description: "Done." }) },
      },
      config: { permission: "vault_manager", isRecorded: true, problems: ["not_found", "conflict"] },
    },
    async (request, reply) => {
      const place = placeOf(request.params);
      await revokeRole(db, place, request.params.wallet, giverOf(request.caller, place));
      grants.changed();
      return reply.code(204).send(undefined);
    },
  );
}

function addAcceptance(app: FastifyInstance, { db, grants }: MembersDependencies): void {
  route(
    app,
    "PUT",
    "/api/v1/me/vaults/:vault_id",
    {
      schema: {
        tags,
        summary: "Accept a vault that names you, or undo that",
        description:
          "Where creating a vault is free, anyone can name any wallet as its manager. Until the wallet accepts the vault, or sends a transaction that the vault's audit log records, webhooks for all vaults and the default lists of alerts leave it out.",
        params: Type.Object({ vault_id: VaultIdParam }),
        body: named("Acceptance", strictBody({ accepted: Type.Boolean() })),
        response: { 200: VaultRoleSchema },
      },
      config: { permission: "vault_member", isRecorded: true },
    },
    async (request) => {
      const { wallet, grants: roles } = request.caller;
      const place = parseVaultId(request.params.vault_id) as VaultRef;
      await accept(db, { wallet, ...place, isAccepted: request.body.accepted });
      grants.changed();
      const { role, via = null, contractRoles = [] } = grantOn(roles, place) as VaultGrant;
      return {
        vault_address: place.vaultAddress,
        chain_id: place.chainId,
        role,
        accepted: request.body.accepted,
        via,
        contract_roles: [...contractRoles],
      };
    },
  );
}

function giverOf({ wallet, grants }: Caller, place: VaultRef) {
  return { wallet, isPrimary: grantOn(grants, place)?.role === "primary_manager" };
}

function placeOf(params: { chain_id: number; vault_address: `0x${string}` }) {
  return { chainId: params.chain_id, vaultAddress: params.vault_address };
}
