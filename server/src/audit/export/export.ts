// Exports as streams: rows flow from PostgreSQL's COPY to the client at the client's speed, and no more is in memory than
// the buffers between them. A client that goes away frees its database session at once.

import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { CSV_HEADER } from "@vaultops/proof";
import type pg from "pg";
import { CopyOut } from "../../platform/db/copy-out.ts";
import type { TileReader } from "../tree/tiles.ts";
import { ProofWriter } from "./proofs.ts";
import { copySql, type ExportRequest, type Format } from "./sql.ts";

export interface ExportOptions {
  request: ExportRequest;
  format: Format;
  total: number;
  /** The checkpoint's note that the export carries; null when none could be had. */
  note: string | null;
  /** Adds to each entry its proof in the tree of `request.size` entries. */
  proofs: TileReader | null;
}

/** An export that has begun: it holds a database session until it was sent. */
export interface Export {
  /**
   * Writes all of it and ends `out`, unless told not to. Rejects, with `out` destroyed, when the database fails or whoever reads goes
   * away: in both cases the session has ended.
   */
  sendTo(out: Writable, options?: { end?: boolean }): Promise<void>;
}

export async function openExport(pool: pg.Pool, options: ExportOptions): Promise<Export> {
  const { request, format } = options;
  const client = await pool.connect();
  try {
    await client.query(
      "begin read only; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0",
    );
    const rows = await CopyOut.start(client, copySql(request, format), { crlf: format === "csv" });
    return { sendTo: (out, { end = true } = {}) => send(client, rows, options, out, end) };
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function send(
  client: pg.PoolClient,
  rows: CopyOut,
  { format, total, note, proofs, request }: ExportOptions,
  out: Writable,
  isEnded: boolean,
): Promise<void> {
  // In the middle of a COPY the session cannot be used again. Without its socket the backend ends at its next write.
  const giveUp = () => client.connection.stream.destroy();
  out.once("close", giveUp);
  // What goes wrong is told to each write.
  out.on("error", ignore);
  const [before, after] = frameOf(format, { total, checkpoint: note });
  try {
    await write(out, before);
    const writer = proofs === null ? null : new ProofWriter(proofs, request.size);
    // Every row of JSON begins with a comma; the first one's is left out.
    let skipped = format === "json" ? 1 : 0;
    for (let kept = 0; ; ) {
      const piece = await rows.read(kept);
      if (piece === null) break;
      // Proofs go with whole lines.
      const whole = writer === null ? piece.length : piece.lastIndexOf(LINE_FEED) + 1;
      kept = piece.length - whole;
      if (whole === 0) continue;
      const lines = piece.subarray(0, whole);
      const text = writer === null ? lines : await writer.write(lines);
      // The next piece comes in the place of this one.
      await write(out, text.subarray(skipped));
      skipped = 0;
    }
    await client.query("commit");
    out.off("close", giveUp);
  } catch (error) {
    giveUp();
    client.release(error as Error);
    cutOff(out);
    throw error;
  }
  client.release();
  await (isEnded ? end(out, after) : write(out, after));
  out.off("error", ignore);
}

/** Without a last chunk, as over HTTP/1.0, the connection's end is that of a whole answer: only its reset tells that there was more. */
export function cutOff(out: Writable): void {
  if (out instanceof ServerResponse && !out.chunkedEncoding && out.socket?.destroyed === false)
    out.socket.resetAndDestroy();
  out.destroy();
}

/** Resolves when the bytes have been handed to the system and are needed no more. */
function write(out: Writable, bytes: Buffer | string): Promise<void> {
  return untilClosed(out, (done) => out.write(bytes, done));
}

function end(out: Writable, bytes: string): Promise<void> {
  return untilClosed(out, (done) => out.end(bytes, done));
}

/** A response whose client has gone calls nobody back. */
function untilClosed(out: Writable, run: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (out.destroyed) throw new ReaderGone();
    const closed = () => reject(new ReaderGone());
    out.once("close", closed);
    run((error) => {
      out.off("close", closed);
      if (error) reject(error);
      else resolve();
    });
  });
}

class ReaderGone extends Error {
  constructor() {
    super("the reader of the export disconnected");
  }
}

function ignore(): void {}

/** What stands before and after the rows. */
function frameOf(format: Format, closing: { total: number; checkpoint: string | null }): [string, string] {
  const end = JSON.stringify(closing);
  switch (format) {
    case "ndjson":
      return ["", `${end}\n`];
    case "json":
      return ['{"logs":[\n', `],${end.slice(1)}\n`];
    case "csv":
      return [`${CSV_HEADER}\r\n`, ""];
  }
}

const LINE_FEED = 0x0a;
