// Spool: a bounded queue of text lines on disk, for one writer process. What is appended is on its way to the disk at once and
// leaves it only when the reader says that it has been dealt with, so a crash or a long outage of the other side loses nothing
// short of the bound. Past the bound the oldest lines go, and are counted.
//
// On disk: segments of lines in files named by number, and `place.json`, the first byte not yet dealt with.
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

export interface SpoolOptions {
  /** A folder of its own; made when missing. */
  dir: string;
  /** All segments together; default 256 MiB. */
  maxBytes?: number;
  /** Default 4 MiB, or a quarter of `maxBytes` if less. What is dropped at the bound is dropped a segment at a time. */
  segmentBytes?: number;
  /** Told of faults of the disk; appending is tried again. */
  onError?: (error: Error) => void;
}

/** A place between two lines. */
export interface SpoolPlace {
  segment: number;
  offset: number;
}

interface Segment {
  bytes: number;
  lines: number;
}

const RETRY_DISK_MS = 1000;

export class Spool {
  readonly #options: Required<SpoolOptions>;
  readonly #segments: Map<number, Segment>;
  #place: SpoolPlace;
  #current: number;
  #file: FileHandle | null = null;
  #pending: string[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> | null = null;
  #dropped = 0;
  #isClosed = false;
  #wake: (() => void)[] = [];

  private constructor(options: Required<SpoolOptions>, segments: Map<number, Segment>, place: SpoolPlace) {
    this.#options = options;
    this.#segments = segments;
    this.#place = place;
    // A new run writes a segment of its own, so that a line torn by a crash stays the last of the one before.
    this.#current = Math.max(place.segment, ...segments.keys()) + 1;
  }

  /** Opens the folder and takes up what an earlier run left. Throws when another living process holds it. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const maxBytes = options.maxBytes ?? 256 * 2 ** 20;
    const full = {
      segmentBytes: Math.min(4 * 2 ** 20, maxBytes / 4),
      onError: () => {},
      ...options,
      maxBytes,
    };
    await mkdir(full.dir, { recursive: true, mode: 0o700 });
    await takeLock(full.dir);
    const segments = new Map<number, Segment>();
    const numbers = (await readdir(full.dir)).flatMap((name) => /^(\d{8})\.ndjson$/.exec(name)?.[1] ?? []);
    for (const number of numbers.map(Number).sort((a, b) => a - b)) {
      segments.set(number, await measure(segmentPath(full.dir, number)));
    }
    const spool = new Spool(full, segments, await readPlace(full.dir, Math.min(...segments.keys(), 1)));
    for (const number of segments.keys()) if (number < spool.#place.segment) await spool.#discard(number);
    return spool;
  }

  /** Lines dropped at the bound since the spool was opened. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Bytes waiting, on disk and on their way there. */
  get bytes(): number {
    let total = this.#pendingBytes;
    for (const [number, { bytes }] of this.#segments) {
      total += number === this.#place.segment ? Math.max(0, bytes - this.#place.offset) : bytes;
    }
    return total;
  }

  /** Queues one line (without a line break). Returns at once and never throws. */
  append(line: string): void {
    if (this.#isClosed) return;
    this.#pending.push(line);
    this.#pendingBytes += Buffer.byteLength(line) + 1;
    // Only a disk that takes nothing lets this grow; memory is still bounded.
    while (this.#pendingBytes > this.#options.segmentBytes * 4 && this.#pending.length > 1) {
      this.#pendingBytes -= Buffer.byteLength(this.#pending.shift() as string) + 1;
      this.#dropped += 1;
    }
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = null;
    });
  }

  /** Resolves when what was appended so far is with the operating system, or the spool was closed. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** The next lines in order, at most so many and so large, and the place after them. Empty when none wait. */
  async peek(maxLines: number, maxBytes: number): Promise<{ lines: string[]; end: SpoolPlace }> {
    for (;;) {
      const { segment, offset } = this.#place;
      const held = this.#segments.get(segment);
      if (held && offset < held.bytes) {
        const read = await readLines(
          segmentPath(this.#options.dir, segment),
          offset,
          held.bytes,
          maxLines,
          maxBytes,
        );
        if (read.lines.length > 0) return { lines: read.lines, end: { segment, offset: read.end } };
      }
      const next = [...this.#segments.keys()].filter((number) => number > segment).sort((a, b) => a - b)[0];
      if (next === undefined) return { lines: [], end: this.#place };
      this.#place = { segment: next, offset: 0 };
      await this.#discard(segment);
    }
  }

  /** Says that everything before `place` has been dealt with. */
  async advance(place: SpoolPlace): Promise<void> {
    if (place.segment < this.#place.segment) return;
    this.#place = place;
    const path = join(this.#options.dir, "place.json");
    await writeFile(`${path}.new`, JSON.stringify(place));
    await rename(`${path}.new`, path);
  }

  /** Resolves when lines are waiting, or the spool was closed, or `signal` aborts. */
  async changed(signal: AbortSignal): Promise<void> {
    if (this.#hasUnread() || this.#isClosed || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Puts what is pending on disk and gives the folder back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    await this.#file?.close();
    this.#file = null;
    await rm(join(this.#options.dir, "lock"), { force: true });
    this.#wakeAll();
  }

  #hasUnread(): boolean {
    for (const [number, { bytes }] of this.#segments) {
      if (
        number > this.#place.segment
          ? bytes > 0
          : number === this.#place.segment && this.#place.offset < bytes
      )
        return true;
    }
    return false;
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0) {
      const lines = this.#takePending();
      try {
        await this.#write(lines);
        this.#wakeAll();
      } catch (error) {
        this.#options.onError(error as Error);
        this.#pending = [...lines, ...this.#pending];
        await this.#leaveSegment();
        if (this.#isClosed) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DISK_MS));
      }
    }
  }

  /** The oldest of what is pending, about a segment of it at most. They stay counted in `#pendingBytes` until written. */
  #takePending(): string[] {
    let bytes = 0;
    let end = 0;
    while (end < this.#pending.length && bytes <= this.#options.segmentBytes)
      bytes += (this.#pending[end++] as string).length;
    return this.#pending.splice(0, end);
  }

  async #write(lines: string[]): Promise<void> {
    const text = `${lines.join("\n")}\n`;
    const bytes = Buffer.byteLength(text);
    const held = this.#segments.get(this.#current);
    if (held && held.bytes >= this.#options.segmentBytes) await this.#leaveSegment();
    this.#file ??= await open(segmentPath(this.#options.dir, this.#current), "a", 0o600);
    await this.#file.appendFile(text);
    const segment = this.#segments.get(this.#current) ?? { bytes: 0, lines: 0 };
    this.#segments.set(this.#current, { bytes: segment.bytes + bytes, lines: segment.lines + lines.length });
    this.#pendingBytes -= bytes;
    while (this.bytes > this.#options.maxBytes && this.#segments.size > 1) await this.#dropOldest();
  }

  /** Also after a failed write: part of a line may stand at the segment's end, and nothing must be glued to it. */
  async #leaveSegment(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    this.#current += 1;
    await file?.close().catch(() => {});
  }

  async #dropOldest(): Promise<void> {
    const oldest = Math.min(...this.#segments.keys());
    const { lines } = this.#segments.get(oldest) as Segment;
    // Those already dealt with are not counted as lost; the count is exact for a segment not yet begun.
    const share =
      oldest === this.#place.segment ? this.#place.offset / (this.#segments.get(oldest)?.bytes || 1) : 0;
    this.#dropped += Math.round(lines * (1 - share));
    if (oldest >= this.#place.segment) this.#place = { segment: oldest + 1, offset: 0 };
    await this.#discard(oldest);
  }

  async #discard(segment: number): Promise<void> {
    this.#segments.delete(segment);
    await rm(segmentPath(this.#options.dir, segment), { force: true });
  }

  #wakeAll(): void {
    for (const resolve of this.#wake.splice(0)) resolve();
  }
}

function segmentPath(dir: string, number: number): string {
  return join(dir, `${String(number).padStart(8, "0")}.ndjson`);
}

/** Whole lines of a segment left by an earlier run; what a crash tore off behind the last line break is cut away. */
async function measure(path: string): Promise<Segment> {
  const content = await readFile(path);
  const end = content.lastIndexOf(10) + 1;
  if (end < content.length) await writeFile(path, content.subarray(0, end));
  let lines = 0;
  for (let at = content.indexOf(10); at !== -1; at = content.indexOf(10, at + 1)) lines += 1;
  return { bytes: end, lines };
}

async function readPlace(dir: string, first: number): Promise<SpoolPlace> {
  try {
    const place = JSON.parse(await readFile(join(dir, "place.json"), "utf8"));
    if (Number.isSafeInteger(place.segment) && Number.isSafeInteger(place.offset) && place.offset >= 0) {
      return { segment: place.segment, offset: place.offset };
    }
  } catch {
    // Missing or torn: everything on disk counts as not yet dealt with. The receiver knows doubles by their ids.
  }
  return { segment: first, offset: 0 };
}

async function readLines(path: string, offset: number, size: number, maxLines: number, maxBytes: number) {
  const file = await open(path, "r");
  try {
    // One line may be larger than asked for: then it is read alone.
    for (let want = Math.min(maxBytes, size - offset); ; want = Math.min(want * 2, size - offset)) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(want), 0, want, offset);
      const text = buffer.subarray(0, bytesRead);
      let end = 0;
      const lines: string[] = [];
      while (lines.length < maxLines) {
        const stop = text.indexOf(10, end);
        if (stop === -1) break;
        lines.push(text.toString("utf8", end, stop));
        end = stop + 1;
      }
      if (lines.length > 0 || want >= size - offset) return { lines, end: offset + end };
    }
  } finally {
    await file.close();
  }
}

async function takeLock(dir: string): Promise<void> {
  const path = join(dir, "lock");
  for (let attempt = 0; ; attempt += 1) {
    try {
      await writeFile(path, String(process.pid), { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || attempt === 3) throw error;
      const holder = Number(await readFile(path, "utf8").catch(() => ""));
      const isRecent =
        Date.now() -
          (await stat(path).then(
            (found) => found.mtimeMs,
            () => 0,
          )) <
        1000;
      if (holder > 0 ? holder !== process.pid && isAlive(holder) : isRecent) {
        throw new Error(
          `The spool folder ${dir} is in use by process ${holder}. Give each reporter a folder of its own.`,
        );
      }
      await rm(path, { force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
