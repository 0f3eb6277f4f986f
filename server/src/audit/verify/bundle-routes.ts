// GET /api/v1/audit/bundle/{id}: one entry with all that proves it, for whoever keeps or shows it without asking the service again.

import { writeBundle } from "@vaultops/proof";
import type { FastifyInstance } from "fastify";
import type { QueryExecutorProvider } from "kysely";
import { Type } from "typebox";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { route } from "../../platform/http/route.ts";
import { readById } from "../read/query.ts";
import { archived, maySee } from "../read/routes.ts";
import { checkpointOf, type Quorum, witnessedSize } from "../tree/stored.ts";
import { TileReader } from "../tree/tiles.ts";

export interface BundleParts {
  reader: QueryExecutorProvider;
  /** Who counts among the witnesses; null where there is none. */
  quorum: () => Promise<Quorum | null>;
}

export function addBundleRoute(app: FastifyInstance, { reader, quorum }: BundleParts): void {
  const tiles = new TileReader(reader);

  route(
    app,
    "GET",
    "/api/v1/audit/bundle/:id",
    {
      schema: {
        tags: ["Audit evidence"],
        summary: "Bundle of one entry",
        description:
          "A C2SP tlog-proof: the entry's canonical text as `extra` (base64), its index (seq - 1), its inclusion proof, and the oldest checkpoint with a quorum of cosignatures that covers it. Verifies offline, by `vaultops audit verify` or `verifyBundle` of @vaultops/proof, under a policy of one's own.",
        params: Type.Object({ id: Type.String({ format: "uuid" }) }),
        produces: ["text/plain"],
        response: { 200: Type.String() },
      },
      config: { permission: "own_vaults", problems: ["not_found", "archived", "not_witnessed_yet"] },
    },
    async (request, reply) => {
      const entry = await readById(reader, request.params.id);
      if (entry === null || !maySee(request.caller, entry))
        throw new Problem("not_found", "There is no such entry that you may see.");
      if (entry.is_archived) throw archived(entry);
      const seq = String(entry.seq);
      const counting = await quorum();
      const size = counting === null ? null : await witnessedSize(reader, counting, Number(seq));
      if (size === null) throw notWitnessed(seq, counting);
      const checkpoint = await checkpointOf(reader, size);
      const index = Number(seq) - 1;
      const hashes = await tiles.inclusionProof(index, size);
      const bundle = writeBundle(entry.body, { index, size, hashes }, checkpoint!.note);
      return polled(request, reply, bundle, { contentType: "text/plain; charset=utf-8" });
    },
  );
}

function notWitnessed(seq: string, quorum: Quorum | null): Problem {
  return new Problem(
    "not_witnessed_yet",
    quorum === null
      ? "No witness is configured that could vouch for it (audit.witnesses)."
      : `No checkpoint that covers entry ${seq} has been cosigned by ${quorum.least} witnesses yet.`,
  );
}
