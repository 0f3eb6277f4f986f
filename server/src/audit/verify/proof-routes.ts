// The evidence: signed checkpoints, the keys that check them, proofs that an entry is in the log and that the log only grew.
import type { FastifyInstance, FastifyReply } from "fastify";
import type { QueryExecutorProvider } from "kysely";
import { Type } from "typebox";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { route } from "../../platform/http/route.ts";
import { Nullable, named, OneOf, strictQuery, Timestamp } from "../../platform/http/schemas.ts";
import { readSize } from "../read/query.ts";
import type { Checkpoints } from "../tree/checkpoint.ts";
import { checkpointOf, type Quorum, type StoredCheckpoint, witnessedSize } from "../tree/stored.ts";
import { TileReader } from "../tree/tiles.ts";
import type { Verification } from "./watch.ts";

export interface ProofParts {
  reader: QueryExecutorProvider;
  /** Who counts among the witnesses; null where there is none. */
  quorum: () => Promise<Quorum | null>;
  checkpoints: Checkpoints;
  verification: () => Verification;
}

const tags = ["Audit evidence"];
const Size = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const Base64 = Type.String({ description: "SHA-256, in base64." });

export function addProofRoutes(
  app: FastifyInstance,
  { reader, checkpoints, verification, quorum }: ProofParts,
): void {
  const tiles = new TileReader(reader);

  route(
    app,
    "GET",
    "/api/v1/audit/checkpoint",
    {
      schema: {
        tags,
        summary: "Signed checkpoint",
        description:
          "A C2SP tlog-checkpoint: a signed note with the log's name, its number of entries and the root of its Merkle tree. The newest, or the one of an earlier size, with the cosignatures of the witnesses that vouch for it so far (C2SP tlog-cosignature).",
        querystring: strictQuery({
          size: Type.Optional(Size("Exactly this number of entries; 404 when none was signed there.")),
          quorum: Type.Optional(
            Type.Boolean({
              description:
                "The newest that `audit.witness_quorum` witnesses have cosigned; 404 `no_quorum` while there is none. Not with `size`.",
            }),
          ),
        }),
        produces: ["text/plain"],
        response: { 200: Type.String() },
      },
      config: { permission: "public", problems: ["not_found", "no_quorum"] },
    },
    async (request, reply) => {
      const { size, quorum: isWitnessed = false } = request.query;
      if (isWitnessed && size !== undefined) throw outOfRange("quorum", "does not go with size");
      if (isWitnessed) {
        const { note } = await newestWitnessed(reader, await quorum());
        return polled(request, reply, note, { contentType: "text/plain; charset=utf-8" });
      }
      const checkpoint = size === undefined ? await newest(checkpoints) : await checkpoints.ofSize(size);
      if (checkpoint === null) throw new Problem("not_found", `No checkpoint of ${size} entries was signed.`);
      return polled(request, reply, checkpoint.note, { contentType: "text/plain; charset=utf-8" });
    },
  );

  route(
    app,
    "GET",
    "/api/v1/audit/keys",
    {
      schema: {
        tags,
        summary: "Public keys of the audit log",
        description:
          "In C2SP vkey form, the oldest first. A checkpoint is signed by the newest key whose `from_size` it reaches, and beside it by those whose `until_size` it does not.",
        response: {
          200: named(
            "AuditKeys",
            Type.Object({
              keys: Type.Array(
                Type.Object({
                  vkey: Type.String(),
                  from_size: Type.Integer(),
                  until_size: Nullable(
                    Type.Integer({
                      description: "From this number of entries on it signs no more; null while it signs.",
                    }),
                  ),
                }),
              ),
            }),
          ),
        },
      },
      config: { permission: "public" },
    },
    async (request, reply) => polled(request, reply, JSON.stringify({ keys: await checkpoints.keys() })),
  );

  route(
    app,
    "GET",
    "/api/v1/audit/proof",
    {
      schema: {
        tags,
        summary: "Inclusion proof",
        description:
          "RFC 9162 proof that an entry is in the tree of `size` entries, by default that of the oldest checkpoint that covers it. Carries hashes alone, nothing of any entry.",
        querystring: strictQuery({
          seq: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
          size: Type.Optional(Size("At least seq, at most the size of the newest checkpoint.")),
        }),
        response: {
          200: named(
            "InclusionProof",
            Type.Object({
              seq: Type.String(),
              leaf_index: Type.Integer(),
              tree_size: Type.Integer(),
              leaf_hash: Base64,
              hashes: Type.Array(Base64),
              checkpoint: Nullable(
                Type.String({
                  description: "The signed checkpoint of that size; null where none was signed.",
                }),
              ),
            }),
          ),
        },
      },
      config: { permission: "authenticated", problems: ["not_found"] },
    },
    async (request, reply) => {
      const { seq, size } = request.query;
      const covering = await checkpoints.covering(seq);
      if (covering === null) throw notCovered(seq, await readSize(reader));
      const treeSize = size ?? covering.size;
      await requireSize(checkpoints, "size", treeSize);
      if (treeSize < seq) throw outOfRange("size", "must be at least seq");
      const leaf = await tiles.range([seq - 1, seq]);
      const hashes = await tiles.inclusionProof(seq - 1, treeSize);
      const checkpoint = treeSize === covering.size ? covering : await checkpoints.ofSize(treeSize);
      const proof = {
        seq: String(seq),
        leaf_index: seq - 1,
        tree_size: treeSize,
        leaf_hash: leaf.toString("base64"),
        hashes: hashes.map((each) => each.toString("base64")),
        checkpoint: checkpoint?.note ?? null,
      };
      return polled(request, reply as FastifyReply, JSON.stringify(proof));
    },
  );

  route(
    app,
    "GET",
    "/api/v1/audit/proof/consistency",
    {
      schema: {
        tags,
        summary: "Consistency proof",
        description:
          "RFC 9162 proof that the tree of `to` entries begins with that of `from`: the log only grew.",
        querystring: strictQuery({
          from: Size("The earlier size."),
          to: Size("The later size, at most that of the newest checkpoint."),
        }),
        response: {
          200: named(
            "ConsistencyProof",
            Type.Object({ from: Type.Integer(), to: Type.Integer(), hashes: Type.Array(Base64) }),
          ),
        },
      },
      config: { permission: "public" },
    },
    async (request, reply) => {
      const { from, to } = request.query;
      if (from > to) throw outOfRange("from", "must be at most to");
      await requireSize(checkpoints, "to", to);
      const hashes = (await tiles.consistencyProof(from, to)).map((each) => each.toString("base64"));
      return polled(request, reply as FastifyReply, JSON.stringify({ from, to, hashes }));
    },
  );

  route(
    app,
    "GET",
    "/api/v1/audit/verification",
    {
      schema: {
        tags,
        summary: "State of the background check",
        description:
          "The service checks its own log in the background: every entry, the columns that filters use, the counts, the tree and all checkpoints.",
        response: {
          200: named(
            "AuditVerification",
            Type.Object({
              status: OneOf(["pending", "ok", "failed"]),
              is_running: Type.Boolean(),
              checked_size: Nullable(
                Type.Integer({ description: "Entries that the last whole check covered." }),
              ),
              checked_at: Nullable(Timestamp),
              failure: Nullable(
                Type.Object({
                  seq: Nullable(
                    Type.String({
                      description: "The first entry that fails the check, where one can be named.",
                    }),
                  ),
                  reason: Type.String(),
                  found_at: Timestamp,
                }),
              ),
            }),
          ),
        },
      },
      config: { permission: "authenticated" },
    },
    async (request, reply) => polled(request, reply as FastifyReply, JSON.stringify(verification())),
  );
}

/** A log whose first checkpoint is still due gets it now. */
async function newest(checkpoints: Checkpoints): Promise<StoredCheckpoint> {
  return (await checkpoints.latest()) ?? (await checkpoints.sign());
}

async function newestWitnessed(
  reader: QueryExecutorProvider,
  quorum: Quorum | null,
): Promise<StoredCheckpoint> {
  const size = quorum === null ? null : await witnessedSize(reader, quorum);
  const checkpoint = size === null ? null : await checkpointOf(reader, size);
  if (checkpoint !== null) return checkpoint;
  const why =
    quorum === null
      ? "No witness is configured that could vouch for a checkpoint (audit.witnesses)."
      : `No checkpoint has been cosigned by ${quorum.least} of its witnesses yet.`;
  throw new Problem("no_quorum", why);
}

/** Proofs are given up to what was signed for: beyond, there is nothing to hold them against. */
async function requireSize(checkpoints: Checkpoints, path: string, size: number): Promise<void> {
  const latest = await checkpoints.latest();
  if (size > (latest?.size ?? 0)) {
    throw outOfRange(path, `must be at most ${latest?.size ?? 0}, the size of the newest checkpoint`);
  }
}

function outOfRange(path: string, message: string): Problem {
  return new Problem("invalid_request", `${path} ${message}.`, { errors: [{ path, message }] });
}

function notCovered(seq: number, size: number): Problem {
  return new Problem(
    "not_found",
    seq <= size
      ? `Entry ${seq} is not covered by a checkpoint yet; the next is signed within a minute.`
      : `There is no entry ${seq}.`,
  );
}
