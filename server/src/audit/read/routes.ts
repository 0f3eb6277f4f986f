// GET /api/v1/audit/logs and /api/v1/audit/logs/{id}: the log as its readers see it.
import { hash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { QueryExecutorProvider } from "kysely";
import { Type } from "typebox";
import { Problem } from "../../platform/errors.ts";
import { matchesEtag, polled } from "../../platform/http/etag.ts";
import { route } from "../../platform/http/route.ts";
import { strictQuery } from "../../platform/http/schemas.ts";
import { type Caller, seesUnlimited } from "../../platform/permission.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";
import { cursorAfter, readCursor } from "./cursor.ts";
import { type AuditFilter, type FilterQuery, type FindVisible, filterOf } from "./filter.ts";
import { createPages } from "./pages.ts";
import {
  type EntryRow,
  type Page,
  type PageRequest,
  readById,
  readPage,
  readStand,
  readWalk,
  type Stand,
  type WalkRequest,
} from "./query.ts";
import { EntrySchema, FILTERS, ListSchema, PAGING, PERIOD } from "./schemas.ts";

export interface LogParts {
  reader: QueryExecutorProvider;
  /** For pages by cursor: may be behind. */
  lagging: QueryExecutorProvider;
  findVisible: FindVisible;
}

const tags = ["Audit log"];

export function addLogRoutes(app: FastifyInstance, { reader, lagging, findVisible }: LogParts): void {
  const ofTime = createPages(() => readStand(reader));
  const ofCursors = createPages(() => readStand(lagging));

  route(
    app,
    "GET",
    "/api/v1/audit/logs",
    {
      schema: {
        tags,
        summary: "Audit log",
        description:
          "Entries of the caller's vaults, and of the caller's own actions that concern no vault; a registry maintainer gets all entries. Newest first by (`timestamp`, `seq`); `from_timestamp` inclusive, `to_timestamp` exclusive. `total` and the page are of one snapshot. Poll by `cursor`, every 60 s: the guide on the audit log says what polling by time misses.",
        querystring: strictQuery({ ...FILTERS, ...PAGING }, PERIOD),
        response: { 200: ListSchema },
      },
      config: { permission: "own_vaults" },
    },
    async (request, reply) => {
      const { limit, offset, order, cursor, ...query } = request.query;
      if (cursor !== undefined && (offset !== undefined || order !== undefined)) throw cursorMixed(offset);
      if (cursor !== undefined) readCursor(cursor, Number.MAX_SAFE_INTEGER);
      const filter = await filterFor(query, request.caller, findVisible);
      const page = { filter, limit, offset: offset ?? 0, order: order ?? "desc" };
      const pages = cursor === undefined ? ofTime : ofCursors;
      const asked = hash("sha1", JSON.stringify({ page, cursor }), "base64url");
      const etagOf = ({ size, below }: Stand) => `"${size}${below > 1 ? `-${below}` : ""}-${asked}"`;
      const send = (body: Buffer, stand: Stand) => polled(request, reply, body, { etag: etagOf(stand) });
      if (request.headers["if-none-match"] !== undefined || pages.has(asked)) {
        const stand = await pages.stand();
        const body = pages.get(asked, stand);
        if (body !== undefined) return send(body, stand);
        // The log only grows: while it stands where it stood, so does every page of it.
        if (matchesEtag(request.headers["if-none-match"] ?? "", etagOf(stand))) return send(NOTHING, stand);
      }
      const read =
        cursor === undefined
          ? await pageOf(reader, page)
          : await walkOf(lagging, reader, { filter, limit, cursor });
      pages.keep(asked, read, read.body);
      return send(read.body, read);
    },
  );

  route(
    app,
    "GET",
    "/api/v1/audit/logs/:id",
    {
      schema: {
        tags,
        summary: "One entry of the audit log",
        params: Type.Object({ id: Type.String({ format: "uuid" }) }),
        response: { 200: EntrySchema },
      },
      config: { permission: "own_vaults", problems: ["not_found", "archived"] },
    },
    async (request, reply) => {
      const entry = await readById(reader, request.params.id);
      if (entry === null || !maySee(request.caller, entry)) {
        throw new Problem("not_found", "There is no such entry that you may see.");
      }
      if (entry.is_archived) throw archived(entry);
      return polled(request, reply, entry.body);
    },
  );
}

/** The filter that a query means for its caller. Throws Problems for vaults that do not exist or that the caller may not see. */
export function filterFor(
  query: FilterQuery,
  caller: Caller,
  findVisible: FindVisible,
): Promise<AuditFilter> {
  return filterOf(query, caller, findVisible, () => {
    return new Problem(
      "vault_not_found",
      "chain_id 0 is for what concerns no vault; its vault_address is the zero address.",
    );
  });
}

export function archived({ seq }: EntryRow): Problem {
  return new Problem("archived", `Entry ${seq} is archived: its text is in the operator's archive.`);
}

function cursorMixed(offset: number | undefined): Problem {
  const path = offset === undefined ? "order" : "offset";
  return new Problem("invalid_request", `${path} cannot be combined with cursor, which has its own order.`, {
    errors: [{ path, message: "does not go with cursor" }],
  });
}

/** A page, and where the log stood in its snapshot. */
interface ReadPage extends Stand {
  body: Buffer;
}

async function pageOf(reader: QueryExecutorProvider, request: PageRequest): Promise<ReadPage> {
  const page = await readPage(reader, request);
  const hasMore = request.offset + page.length < page.total;
  return { ...page, body: bodyOf(page, hasMore, { next: null, live: page.size }) };
}

async function walkOf(
  lagging: QueryExecutorProvider,
  reader: QueryExecutorProvider,
  { filter, limit, cursor }: Omit<WalkRequest, "after"> & { cursor: string },
): Promise<ReadPage> {
  const after = cursor === "now" ? "now" : readCursor(cursor, Number.MAX_SAFE_INTEGER);
  let page = await readWalk(lagging, { filter, after, limit });
  // Who has read further elsewhere reads on where all is.
  if (after !== "now" && after > page.size) page = await readWalk(reader, { filter, after, limit });
  // A place that the log has not reached is none of this log; that it was looked for has cost nothing.
  readCursor(cursor, page.size);
  return { ...page, body: bodyOf(page, page.hasMore, { next: page.next, live: null }) };
}

/** The list around entries that are ready text. The cursors are given by the seq that they stand for. */
function bodyOf(
  { entries, total, below }: Page,
  hasMore: boolean,
  { next, live }: { next: number | null; live: number | null },
): Buffer {
  // Written once into the bytes that are sent: joined as texts, the entries would be copied twice more.
  const after = `],"total":${total},"has_more":${hasMore},"next_cursor":${cursorText(next)},"live_cursor":${cursorText(live)}${below > 1 ? `,"archived_below":"${below}"` : ""}}`;
  const body = Buffer.allocUnsafeSlow(BEFORE.length + Buffer.byteLength(entries) + after.length);
  const start = body.write(BEFORE, "latin1");
  const end = start + body.write(entries, start, "utf8");
  body.write(after, end, "latin1");
  return body;
}

function cursorText(seq: number | null): string {
  return seq === null ? "null" : `"${cursorAfter(seq)}"`;
}

const NOTHING = Buffer.alloc(0);
const BEFORE = '{"logs":[';

export function maySee(caller: Caller, entry: EntryRow): boolean {
  if (caller.isMaintainer) return true;
  if (entry.chain_id === 0 && entry.vault_address === ZERO_ADDRESS)
    return entry.actor_wallet === caller.wallet && seesUnlimited(caller);
  return caller.grants.some(
    (grant) => grant.chainId === entry.chain_id && grant.vaultAddress === entry.vault_address,
  );
}
