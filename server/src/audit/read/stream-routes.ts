// GET /api/v1/audit/stream: the log as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import type { FastifyInstance, FastifyReply } from "fastify";
import type { QueryExecutorProvider } from "kysely";
import { Type } from "typebox";
import { headersOf } from "../../platform/http/head.ts";
import { route } from "../../platform/http/route.ts";
import { strictQuery } from "../../platform/http/schemas.ts";
import { accountOf, type Caller } from "../../platform/permission.ts";
import { readCursor } from "./cursor.ts";
import type { AuditFilter, FindVisible } from "./filter.ts";
import { readSize } from "./query.ts";
import { filterFor } from "./routes.ts";
import { FILTERS, PAGING } from "./schemas.ts";
import type { Hub, Listener } from "./stream.ts";
import type { StreamSeats } from "./stream-seats.ts";

export interface StreamParts {
  /** Where all of the log is. */
  reader: QueryExecutorProvider;
  hub: Hub;
  findVisible: FindVisible;
  /** The caller with the roles that count as they are now. */
  withRoles: (caller: Caller) => Promise<Caller>;
  /** How many streams may be open. */
  seats: Pick<StreamSeats, "take" | "close">;
  /** For tests. Heartbeat 15,000, rights 5,000, stall 60,000 unless told. */
  times?: Partial<StreamTimes>;
}

export interface StreamTimes {
  heartbeatMs: number;
  /** How often the rights of those who listen are looked at. */
  rightsMs: number;
  /** A client that takes nothing for this long is gone. */
  stallMs: number;
}

/** What may wait for a client when there is more to send; beyond, it is too slow. */
const MAX_WAITING_BYTES = 1_048_576;
const MAX_TIMER_MS = 2_147_483_647;

export function addStreamRoute(app: FastifyInstance, parts: StreamParts): void {
  const { reader, hub, findVisible, withRoles, seats } = parts;
  const times = { heartbeatMs: 15_000, rightsMs: 5_000, stallMs: 60_000, ...parts.times };
  const open = new Set<Stream>();
  const heartbeat = setInterval(() => {
    for (const stream of open) stream.write(HEARTBEAT);
  }, times.heartbeatMs).unref();
  const rights = setInterval(() => {
    for (const stream of open) {
      if (!stream.caller.isTokenGood()) stream.end();
      else
        withRoles(stream.caller)
          .then((caller) => stream.isStillDue(caller))
          .then((isDue) => isDue || stream.end())
          // A database that is away takes nobody's rights; the next look decides.
          .catch(() => {});
    }
  }, times.rightsMs).unref();
  app.addHook("preClose", (done) => {
    clearInterval(heartbeat);
    clearInterval(rights);
    for (const stream of open) stream.end();
    done();
  });
  app.addHook("onClose", () => seats.close());

  route(
    app,
    "GET",
    "/api/v1/audit/stream",
    {
      schema: {
        tags: ["Audit log"],
        summary: "Audit log as server-sent events",
        description:
          "The same entries as `audit/logs`, each an event whose `id` is its cursor; resumed by `Last-Event-ID` or `cursor`; without either it begins now. A comment line every 15 s. Ends when the token expires or its issuer withdraws the key that signed it, and when the caller's rights change; connect again with a fresh token. Streams are limited for each wallet and in total: 429 above the limit.",
        querystring: strictQuery({
          vault_address: FILTERS.vault_address,
          chain_id: FILTERS.chain_id,
          action_type: FILTERS.action_type,
          actor_wallet: FILTERS.actor_wallet,
          cursor: PAGING.cursor,
        }),
        headers: Type.Object({ "last-event-id": Type.Optional(Type.String({ maxLength: 100 })) }),
        produces: ["text/event-stream"],
        response: { 200: Type.String() },
      },
      config: { permission: "own_vaults" },
    },
    async (request, answer) => {
      const reply = answer as FastifyReply;
      const { cursor, ...query } = request.query;
      const caller = request.caller;
      const filter = await filterFor(query, caller, findVisible);
      const from = request.headers["last-event-id"] || cursor || "now";
      const after = readCursor(from, await readSize(reader));

      const leave = await seats.take(accountOf(caller));
      reply.hijack();
      // Whoever went away meanwhile closes nothing more.
      if (reply.raw.destroyed) return leave();
      const headers = { ...headersOf(request), "content-type": "text/event-stream; charset=utf-8" };
      reply.raw.writeHead(200, {
        ...headers,
        "cache-control": "private, no-store",
        "x-accel-buffering": "no",
        // Nothing follows a stream: its end is the connection's.
        connection: "close",
      } as never);
      const stream = new Stream(reply, caller, filter, async (now) => {
        const due = await filterFor(query, now, findVisible).catch(() => null);
        return due !== null && JSON.stringify(due) === JSON.stringify(filter);
      });
      open.add(stream);
      reply.raw.on("close", () => {
        open.delete(stream);
        leave();
        stream.gone.abort();
      });
      reply.raw.setTimeout(times.stallMs, () => {
        if (reply.raw.writableLength > 0) reply.raw.destroy();
      });
      const leftMs = Math.min(caller.expiresAt * 1000 - Date.now(), MAX_TIMER_MS);
      const expiry = setTimeout(() => stream.end(), leftMs).unref();
      stream.gone.signal.addEventListener("abort", () => clearTimeout(expiry), { once: true });
      stream.write(OPENING);
      hub.join(stream, after, stream.gone.signal).catch((error) => {
        if (!stream.gone.signal.aborted) request.log.warn({ err: error }, "an audit stream was interrupted");
        reply.raw.destroy();
      });
    },
  );
}

const OPENING = Buffer.from("retry: 2000\n\n");
const HEARTBEAT = Buffer.from(":\n\n");

class Stream implements Listener {
  readonly caller: Caller;
  readonly filter: AuditFilter;
  readonly isStillDue: (now: Caller) => Promise<boolean>;
  readonly gone = new AbortController();
  readonly #raw: FastifyReply["raw"];

  constructor(
    reply: FastifyReply,
    caller: Caller,
    filter: AuditFilter,
    isStillDue: (now: Caller) => Promise<boolean>,
  ) {
    this.#raw = reply.raw;
    this.caller = caller;
    this.filter = filter;
    this.isStillDue = isStillDue;
  }

  send(piece: Buffer): boolean {
    if (this.#raw.destroyed || this.#raw.writableEnded) return false;
    // Looked at before the piece is added: whoever took all there was may be given one of any size.
    const isTooSlow = this.#raw.writableLength > MAX_WAITING_BYTES;
    if (isTooSlow) this.#raw.destroy();
    else this.#raw.write(piece);
    return !isTooSlow;
  }

  async drained(): Promise<void> {
    if (!this.#raw.writableNeedDrain) return;
    await new Promise<void>((resolve, reject) => {
      this.#raw.once("drain", resolve);
      this.gone.signal.addEventListener("abort", () => reject(new Error("the listener has gone")), {
        once: true,
      });
    });
  }

  /** Best effort: a client that is behind needs no heartbeat. */
  write(piece: Buffer): void {
    if (!this.#raw.destroyed && !this.#raw.writableEnded && !this.#raw.writableNeedDrain)
      this.#raw.write(piece);
  }

  end(): void {
    if (!this.#raw.writableEnded) this.#raw.end();
  }
}
