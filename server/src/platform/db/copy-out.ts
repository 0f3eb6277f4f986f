// COPY … TO STDOUT at constant memory, of which the process notices nothing: rows are taken out of what the database sends into one
// buffer that is used again and again, and the memory that each piece came in is given back at once. Left to the garbage collector,
// which counts small objects and not the 64 kB that hang on each, a long COPY would pile up a hundred megabytes of pieces long read.
//
// The protocol: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY. Each CopyData message is one row.
import type { Socket } from "node:net";
import type pg from "pg";

export interface CopyOutOptions {
  /** Ends each row, whose last byte must be a line feed, with CRLF instead. */
  crlf?: boolean;
}

/**
 * A COPY under way. The session belongs to it until `read` has given null; whoever wants no more before that destroys the
 * connection, since a session in the middle of a COPY cannot be used for anything else.
 */
export class CopyOut implements pg.Submittable {
  readonly #text: string;
  readonly #crlf: boolean;
  #stream!: Socket;
  /** The driver's own listener, away while rows come. */
  #parse!: (chunk: Buffer) => void;
  readonly #header = Buffer.alloc(HEADER_LENGTH);
  #headerFilled = 0;
  /** What is still to come of the current message, and whether that is a row. */
  #left = 0;
  #isRow = false;
  /** Bytes of rows that were not read yet, or that were read last. */
  #rows = NOTHING;
  #filled = 0;
  #isRead = false;
  #state: "starting" | "flowing" | "ended" = "starting";
  #failure: { error: unknown } | null = null;
  /** Goes on with whoever waits for something to have changed. */
  #wake: () => void = () => {};

  private constructor(text: string, { crlf = false }: CopyOutOptions) {
    this.#text = text;
    this.#crlf = crlf;
  }

  /** Resolves when the database has begun to send. Rejects with what it says against the statement. */
  static async start(client: pg.ClientBase, text: string, options: CopyOutOptions = {}): Promise<CopyOut> {
    const copy = new CopyOut(text, options);
    const changed = copy.#change();
    client.query(copy);
    await changed;
    if (copy.#failure !== null) throw copy.#failure.error;
    return copy;
  }

  /**
   * The next bytes of the rows; null after the last. They are valid until the next call, which uses their place again. The last
   * `keep` bytes of the piece before come once more, in front. Rejects when the COPY fails or the connection is lost.
   */
  async read(keep = 0): Promise<Buffer | null> {
    if (this.#isRead) {
      this.#rows.copyWithin(0, this.#filled - keep, this.#filled);
      this.#filled = keep;
      this.#isRead = false;
    }
    while (this.#filled === keep) {
      if (this.#failure !== null) throw this.#failure.error;
      if (this.#state === "ended") return null;
      const changed = this.#change();
      this.#stream.resume();
      await changed;
    }
    this.#isRead = true;
    return this.#rows.subarray(0, this.#filled);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #take = (chunk: Buffer): void => {
    const before = this.#filled;
    const rest = this.#unwrap(chunk);
    if (rest !== null) {
      // The COPY is over, well or not: the driver reads on.
      this.#stream.off("data", this.#take);
      this.#stream.on("data", this.#parse);
      this.#stream.resume();
      this.#parse(rest);
    } else {
      free(chunk);
      if (this.#filled > before) this.#stream.pause();
    }
    if (this.#filled > before) this.#wake();
  };

  /** Takes the rows out of a chunk. What is behind the end of the COPY, and the driver's to read, or null. */
  #unwrap(chunk: Buffer): Buffer | null {
    // A row loses its header and wins a byte at most, the one that ends here having lost it in an earlier chunk.
    this.#reserve(chunk.length + 1);
    let at = 0;
    for (;;) {
      if (this.#left > 0) {
        const end = Math.min(at + this.#left, chunk.length);
        if (this.#isRow) this.#filled += chunk.copy(this.#rows, this.#filled, at, end);
        this.#left -= end - at;
        at = end;
        if (this.#left > 0) return null;
        if (this.#isRow && this.#crlf) this.#endRow();
      }
      if (this.#headerFilled + chunk.length - at < HEADER_LENGTH) {
        this.#headerFilled += chunk.copy(this.#header, this.#headerFilled, at);
        return null;
      }
      let header = chunk;
      let headerAt = at;
      if (this.#headerFilled > 0) {
        chunk.copy(this.#header, this.#headerFilled, at);
        [header, headerAt] = [this.#header, 0];
      }
      const code = header[headerAt]!;
      if (!SKIPPED.has(code) && code !== COPY_DATA && code !== COPY_DONE && code !== COPY_OUT) {
        // An error, or no COPY at all.
        return Buffer.concat([this.#header.subarray(0, this.#headerFilled), chunk.subarray(at)]);
      }
      this.#left = header.readUInt32BE(headerAt + 1) - 4;
      this.#isRow = code === COPY_DATA;
      at += HEADER_LENGTH - this.#headerFilled;
      this.#headerFilled = 0;
      if (code === COPY_DONE) return chunk.subarray(at);
      if (code === COPY_OUT) {
        this.#state = "flowing";
        this.#wake();
      }
    }
  }

  #endRow(): void {
    this.#rows[this.#filled - 1] = RETURN;
    this.#rows[this.#filled] = LINE_FEED;
    this.#filled += 1;
  }

  #reserve(length: number): void {
    if (this.#rows.length - this.#filled >= length) return;
    const rows = Buffer.allocUnsafeSlow(Math.max(LEAST_ROOM, 2 * (this.#filled + length)));
    this.#rows.copy(rows, 0, 0, this.#filled);
    this.#rows = rows;
  }

  /** For the driver, like all that follows. */
  submit(connection: pg.Connection): void {
    this.#stream = connection.stream as Socket;
    const [parse, ...others] = this.#stream.listeners("data");
    if (parse === undefined || others.length > 0) throw new Error("the driver does not read as it used to");
    this.#parse = parse as (chunk: Buffer) => void;
    this.#stream.off("data", this.#parse);
    this.#stream.on("data", this.#take);
    connection.query(this.#text);
  }

  handleError(error: Error): void {
    this.#failure ??= { error };
    this.#wake();
  }

  handleCommandComplete(): void {
    // The rows may not have been read yet: nothing else follows them.
    if (this.#state === "starting") this.handleError(new Error("the statement is no COPY … TO STDOUT"));
    this.#state = "ended";
    this.#wake();
  }

  handleReadyForQuery(): void {}

  /** Of a statement that is no COPY. */
  handleRowDescription(): void {}

  handleDataRow(): void {}
}

const HEADER_LENGTH = 5;
const LEAST_ROOM = 2 * 65_536;
const NOTHING = Buffer.alloc(0);
const [LINE_FEED, RETURN] = [0x0a, 0x0d];
const [COPY_OUT, COPY_DATA, COPY_DONE] = [..."Hdc"].map((code) => code.charCodeAt(0));
/** Notices, settings and notifications may come at any time. */
const SKIPPED = new Set([..."NSA"].map((code) => code.charCodeAt(0)));

/** Gives back the memory of a chunk that nobody else can see. */
function free({ buffer, byteLength }: Buffer): void {
  // A part of a larger piece of memory has neighbours.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
