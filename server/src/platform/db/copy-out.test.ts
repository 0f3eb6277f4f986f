// The protocol in whatever pieces it comes: the database's own are of no length that a test could choose.
import { PassThrough } from "node:stream";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { CopyOut, type CopyOutOptions } from "./copy-out.ts";

const message = (code: string, text: string) => {
  const content = Buffer.from(text);
  const header = Buffer.from(`${code}0000`);
  header.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
};
const BEGINNING = message("H", "\0\0\0");
const DONE = message("c", "");
const READY = message("Z", "I");

/** A driver that hears what is not the COPY's, on a stream that a test feeds. */
function driver() {
  const stream = new PassThrough();
  const heard: Buffer[] = [];
  let active: CopyOut | undefined;
  stream.on("data", (chunk) => {
    heard.push(Buffer.from(chunk));
    if (Buffer.concat(heard).equals(READY)) active?.handleCommandComplete();
  });
  const client = {
    query(copy: CopyOut) {
      active = copy;
      copy.submit({ stream, query: () => {} } as never);
    },
  };
  const start = (options?: CopyOutOptions) => CopyOut.start(client as unknown as pg.Client, "copy", options);
  /** In pieces with memory of their own, as a socket's are. */
  const feed = (bytes: Buffer, length: number) => {
    const memory: ArrayBuffer[] = [];
    for (let at = 0; at < bytes.length; at += length) {
      const piece = new Uint8Array(bytes.subarray(at, at + length));
      memory.push(piece.buffer);
      stream.write(Buffer.from(piece.buffer));
    }
    return memory;
  };
  return { stream, start, feed, heard: () => Buffer.concat(heard) };
}

async function readAll(copy: CopyOut): Promise<string> {
  const pieces: Buffer[] = [];
  for (let piece = await copy.read(); piece !== null; piece = await copy.read())
    pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

const ROWS = ["first\n", "\n", "a row of üñïcödé\n", `${"x".repeat(500)}\n`, "2\n", "last\n"];

describe("rows of a COPY, in pieces of any length", () => {
  const between = [message("N", "a notice"), message("S", "a setting"), message("A", "a notification")];
  const rows = ROWS.map((row) => message("d", row));
  const bytes = Buffer.concat([BEGINNING, ...rows.slice(0, 3), ...between, ...rows.slice(3), DONE, READY]);

  it.each([1, 2, 3, 4, 5, 6, 7, 11, 64, 1000])("%i bytes", async (length) => {
    for (const crlf of [false, true]) {
      const { start, feed, heard } = driver();
      const starting = start({ crlf });
      feed(bytes, length);
      const copy = await starting;
      const expected = ROWS.join("").replaceAll("\n", crlf ? "\r\n" : "\n");
      expect(await readAll(copy)).toBe(expected);
      expect(heard().toString()).toBe(READY.toString());
    }
  });

  it("and what was kept of a piece comes again before the next", async () => {
    const { start, feed } = driver();
    const starting = start();
    feed(bytes, 9);
    const copy = await starting;
    const seen: string[] = [];
    for (let kept = 0; seen.length < ROWS.length; ) {
      const piece = (await copy.read(kept))!;
      const whole = piece.lastIndexOf("\n") + 1;
      seen.push(...(piece.toString("utf8", 0, whole).match(/.*\n/g) ?? []));
      kept = piece.length - whole;
    }
    expect(seen).toEqual(ROWS);
  });

  it("give back the memory of each piece", async () => {
    const { start, feed } = driver();
    const starting = start();
    const memory = feed(Buffer.concat([BEGINNING, ...rows]), 50);
    const copy = await starting;
    for (let left = Buffer.byteLength(ROWS.join("")); left > 0; ) left -= (await copy.read())!.length;
    expect(memory.map((each) => each.detached)).toEqual(memory.map(() => true));
  });
});

it("an error in the middle is the driver's to read, from its first byte on", async () => {
  const error = Buffer.concat([message("E", "it failed"), READY]);
  for (const length of [1, 3, 1000]) {
    const { start, feed, heard } = driver();
    const starting = start();
    feed(Buffer.concat([BEGINNING, message("d", "row\n"), error]), length);
    const copy = await starting;
    let text = "";
    while (text !== "row\n") text += await copy.read();
    const more = copy.read();
    more.catch(() => {});
    await expect.poll(() => heard().toString()).toBe(error.toString());
    copy.handleError(new Error("it failed"));
    await expect(more).rejects.toThrow("it failed");
  }
});
