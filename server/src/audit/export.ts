// Exports as streams: rows flow from PostgreSQL's COPY to the client at the client's speed, and no more is in memory than
// the buffers between them. Whoever goes away takes his database session with him, at once.
import { type Readable, Transform, type TransformCallback } from "node:stream";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { CSV_HEADER, copySql, type ExportRequest, type Format } from "./export-sql.ts";
import type { TileReader } from "./tiles.ts";

export interface ExportStream {
  request: ExportRequest;
  format: Format;
  total: number;
  /** The checkpoint's note that the export carries; null when none could be had. */
  note: string | null;
  /** Adds to each entry its proof in the tree of `request.size` entries. */
  proofs: TileReader | null;
}

/** Opens the stream. Destroying it ends the database session that feeds it. */
export async function openExport(pool: pg.Pool, options: ExportStream): Promise<Readable> {
  const client = await pool.connect();
  const rows = await startCopy(client, copySql(options.request, options.format)).catch((error) => {
    client.release(true);
    throw error;
  });
  const framed = frame(rows, options);
  let isDone = false;
  const end = (error?: Error | null) => {
    if (isDone) return;
    isDone = true;
    if (!error && rows.readableEnded) {
      client.query("commit").then(
        () => client.release(),
        (failure) => client.release(failure),
      );
      return;
    }
    // In the middle of a COPY the session cannot be used again. Without its socket the backend ends at its next write.
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    client.release(error ?? new Error("the export was given up"));
  };
  rows.on("error", (error) => framed.destroy(error));
  framed.on("close", () => {
    const error = framed.errored ?? (framed.readableEnded ? null : new Error("the export was given up"));
    if (error) rows.destroy();
    end(error);
  });
  return framed;
}

async function startCopy(client: pg.PoolClient, text: string): Promise<Readable> {
  await client.query(
    "begin read only; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0",
  );
  return client.query(copyTo(text, { highWaterMark: 65_536 } as never)) as unknown as Readable;
}

/** Puts what stands before, between and after the rows. */
function frame(rows: Readable, { format, total, note, proofs, request }: ExportStream): Readable {
  const end = JSON.stringify({ total, checkpoint: note });
  const source = proofs === null ? rows : rows.pipe(new ProofLines(proofs, request.size));
  if (source !== rows) {
    rows.on("error", (error) => source.destroy(error));
    source.on("close", () => rows.destroy());
  }
  switch (format) {
    case "ndjson":
      return source.pipe(new Framed("", `${end}\n`, (chunk) => chunk));
    case "json": {
      // Every row begins with a comma; the first one's is left out.
      let isFirst = true;
      return source.pipe(
        new Framed('{"logs":[\n', `],${end.slice(1)}\n`, (chunk) => {
          if (!isFirst) return chunk;
          isFirst = false;
          return chunk.subarray(1);
        }),
      );
    }
    case "csv":
      // A raw line feed ends a row and nothing else; RFC 4180 wants CRLF.
      return source.pipe(new Framed(`${CSV_HEADER}\r\n`, "", withReturns));
  }
}

const [LINE_FEED, RETURN] = [0x0a, 0x0d];

/** Puts a carriage return before every line feed. */
function withReturns(chunk: Buffer): Buffer {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  const text = Buffer.allocUnsafe(chunk.length + lines);
  let [from, to] = [0, 0];
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
    to += chunk.copy(text, to, from, at);
    to = text.writeUInt8(RETURN, to);
    to = text.writeUInt8(LINE_FEED, to);
    from = at + 1;
  }
  chunk.copy(text, to, from);
  return text;
}

class Framed extends Transform {
  readonly #map: (chunk: Buffer) => Buffer;
  readonly #after: string;

  constructor(before: string, after: string, map: (chunk: Buffer) => Buffer) {
    super({ highWaterMark: 65_536 });
    this.#map = map;
    this.#after = after;
    if (before !== "") this.push(before);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    done(null, this.#map(chunk));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#after === "" ? undefined : this.#after);
  }
}

/** Adds `proof` as the last member of each entry, one entry a line. */
class ProofLines extends Transform {
  readonly #tiles: TileReader;
  readonly #size: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(tiles: TileReader, size: number) {
    super({ highWaterMark: 65_536 });
    this.#tiles = tiles;
    this.#size = size;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = data.lastIndexOf(0x0a) + 1;
    this.#rest = data.subarray(end);
    if (end === 0) {
      done();
      return;
    }
    const lines = data.toString("utf8", 0, end - 1).split("\n");
    this.#proven(lines).then((text) => done(null, text), done);
  }

  async #proven(lines: readonly string[]): Promise<string> {
    let text = "";
    for (const line of lines) {
      const index = Number(SEQ.exec(line)![1]) - 1;
      const hashes = await this.#tiles.inclusionProof(index, this.#size);
      const proof = `{"leaf_index":${index},"tree_size":${this.#size},"hashes":[${hashes.map((each) => `"${each.toString("base64")}"`).join(",")}]}`;
      text += `${line.slice(0, -1)},"proof":${proof}}\n`;
    }
    return text;
  }
}

/** The end of an entry's canonical text. */
const SEQ = /","seq":"(\d+)","timestamp":"[^"]*","vault_address":"[^"]*"\}$/;
