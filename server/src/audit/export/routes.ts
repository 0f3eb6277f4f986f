// GET /api/v1/audit/export: everything a filter means, as one artifact with its count and the checkpoint it stands under.
import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import type { Database } from "../../platform/db/db.ts";
import { Problem } from "../../platform/errors.ts";
import { headersOf } from "../../platform/http/head.ts";
import { route } from "../../platform/http/route.ts";
import { strictQuery } from "../../platform/http/schemas.ts";
import { readArchivedBelow } from "../read/archived.ts";
import type { FindVisible } from "../read/filter.ts";
import { readSize } from "../read/query.ts";
import { filterFor } from "../read/routes.ts";
import { CsvSchema, ExportSchema, FILTERS, LinesSchema, ORDER, PERIOD } from "../read/schemas.ts";
import type { Checkpoints } from "../tree/checkpoint.ts";
import { SigningKeyMissing } from "../tree/keys.ts";
import { SigningRefused } from "../tree/standing.ts";
import type { StoredCheckpoint } from "../tree/stored.ts";
import { TileReader } from "../tree/tiles.ts";
import { cutOff, openExport } from "./export.ts";
import { MEDIA_TYPES, negotiate } from "./negotiate.ts";
import { ExportPlaces } from "./places.ts";
import { countExport } from "./sql.ts";

export interface ExportParts {
  db: Database;
  findVisible: FindVisible;
  checkpoints: Checkpoints;
  vouched: Vouched;
}

/** What a quorum vouches for of at least so many entries, asked for and waited for so long; null where nobody does. */
export type Vouched = (size: number, timeoutMs: number) => Promise<StoredCheckpoint | null>;

/** A client waits so long for those who vouch for its proofs; witnesses answer within a second. */
const VOUCHED_MS = 10_000;

/**
 * A client that takes nothing is cut off after once to twice this time: Node's timer looks again before it believes that a write that
 * has begun stands still.
 */
const STALL_MS = 30_000;

export function addExportRoute(
  app: FastifyInstance,
  { db, findVisible, checkpoints, vouched }: ExportParts,
): void {
  const tiles = new TileReader(db.kysely);
  const places = new ExportPlaces(() => db.pool.options.max);

  route(
    app,
    "GET",
    "/api/v1/audit/export",
    {
      schema: {
        tags: ["Audit log"],
        summary: "Export of the audit log",
        description:
          "The whole result of a filter, streamed. `Accept`: `application/json` (default), `text/csv`, `application/x-ndjson`. A connection that ends without the last chunk is an export cut short; JSON and NDJSON close with their total. Archived entries are no part of it: the header `x-archived-below` names the first that is not archived. With `proofs=true` (JSON, NDJSON) every entry carries its inclusion proof, so that a filtered export can be verified by itself with `vaultops audit verify`.",
        querystring: strictQuery(
          {
            ...FILTERS,
            order: ORDER,
            proofs: Type.Optional(Type.Boolean({ description: "Default false. Not with CSV." })),
          },
          PERIOD,
        ),
        response: {
          200: {
            description: "The export, in the format asked for.",
            content: {
              [MEDIA_TYPES.json]: { schema: ExportSchema },
              [MEDIA_TYPES.csv]: { schema: CsvSchema },
              [MEDIA_TYPES.ndjson]: { schema: LinesSchema },
            },
          },
        },
      },
      config: { permission: "own_vaults", problems: ["not_acceptable"] },
    },
    async (request, answer) => {
      const reply = answer as FastifyReply;
      const { order = "desc", proofs = false, ...query } = request.query;
      const caller = request.caller;
      const format = negotiate(request.headers.accept);
      if (format === "csv" && proofs) {
        const message = "is not available with CSV: ask for JSON or NDJSON";
        throw new Problem("invalid_request", `proofs ${message}.`, { errors: [{ path: "proofs", message }] });
      }
      const filter = await filterFor(query, caller, findVisible);
      if (format === null) throw notAcceptable();
      const prepare = async () => {
        const checkpoint = proofs
          ? await provenBy(checkpoints, vouched)
          : await newestOf(checkpoints, request.log);
        const size = checkpoint?.size ?? (await readSize(db.kysely));
        const asked = { filter, order, size };
        const total = await countExport(db.kysely, asked);
        const below = await readArchivedBelow(db.kysely);
        request.log.info(
          { wallet: caller.wallet, query: request.query, format, total, size },
          "audit export",
        );
        const head = headersOf(request);
        const headers = {
          ...head,
          "content-type": `${MEDIA_TYPES[format]}; charset=utf-8`,
          "x-total-count": String(total),
          ...(below > 1 && { "x-archived-below": String(below) }),
          "content-disposition": `attachment; filename="audit-log-${total}-entries.${format}"`,
          "cache-control": "private, no-store",
          vary: head.vary === undefined ? "accept" : `accept, ${head.vary}`,
        };
        const note = checkpoint?.note ?? null;
        return { headers, parts: { request: asked, format, total, note, proofs: proofs ? tiles : null } };
      };
      if (request.method === "HEAD") {
        const { headers } = await prepare();
        reply.hijack();
        reply.raw.writeHead(200, headers).end();
        return;
      }
      await places.hold(caller.wallet, async () => {
        const { headers, parts } = await prepare();
        const opened = await openExport(db.pool, parts);
        reply.hijack();
        reply.raw.writeHead(200, headers);
        reply.raw.setTimeout(STALL_MS, () => cutOff(reply.raw));
        await opened.sendTo(reply.raw).catch((error) => {
          request.log.warn({ err: error, total: parts.total }, "an audit export was cut short");
        });
      });
    },
  );
}

/** Signs for the log as it stands; an export without proofs goes out unsigned rather than not at all. */
async function newestOf(
  checkpoints: Checkpoints,
  log: { warn(fields: object, message: string): void },
): Promise<StoredCheckpoint | null> {
  try {
    return await checkpoints.sign();
  } catch (error) {
    log.warn({ err: error }, "an audit export goes out without a checkpoint");
    return null;
  }
}

/** Proofs are for one size of the log alone, so that nobody could vouch for it afterwards: whoever does is asked before. */
async function provenBy(checkpoints: Checkpoints, vouched: Vouched): Promise<StoredCheckpoint> {
  try {
    const signed = await checkpoints.sign();
    return (await vouched(signed.size, VOUCHED_MS)) ?? signed;
  } catch (error) {
    if (!(error instanceof SigningKeyMissing || error instanceof SigningRefused)) throw error;
    throw new Problem(
      "service_unavailable",
      "No checkpoint can be signed now, so there are no proofs to give.",
    );
  }
}

function notAcceptable(): Problem {
  return new Problem("not_acceptable", `The export is served as ${Object.values(MEDIA_TYPES).join(", ")}.`);
}
