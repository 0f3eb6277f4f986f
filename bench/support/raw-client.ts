// A client that costs next to nothing, so that what is measured is the server: over each connection the same bytes again and again,
// one request at a time, answers only counted and their status looked at.
import { connect, type Socket } from "node:net";

export interface Load {
  port: number;
  /** The path, or several to be asked for in turn, and headers beside Host. */
  path: string | readonly string[];
  headers?: Record<string, string>;
  /** Any other answer is an error. */
  status: number;
  connections: number;
  seconds: number;
}

/** Requests answered a second. @throws Error when an answer has another status, or a connection ends */
export async function measure(load: Load): Promise<number> {
  const requests = [load.path].flat().map((path) => requestOf(load, path));
  const until = performance.now() + load.seconds * 1000;
  const startedAt = performance.now();
  const counts = await Promise.all(
    Array.from({ length: load.connections }, () => drive(load, requests, until)),
  );
  return (counts.reduce((sum, count) => sum + count, 0) / (performance.now() - startedAt)) * 1000;
}

function requestOf({ port, headers = {} }: Load, path: string): Buffer {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
}

const HEAD_END = Buffer.from("\r\n\r\n");

function drive({ port, status }: Load, requests: readonly Buffer[], until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let count = 0;
    /** Of the answer under way: what came of its head, and how much of its body is still to come. */
    let head: Buffer | null = null;
    let missing = 0;
    const answered = () => {
      count += 1;
      head = null;
      if (performance.now() < until) socket.write(requests[count % requests.length]!);
      else {
        socket.destroy();
        resolve(count);
      }
    };
    socket.once("connect", () => socket.write(requests[0]!));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed a connection")));
    socket.on("data", (chunk) => {
      if (missing > 0) {
        missing -= chunk.length;
        if (missing === 0) answered();
        return;
      }
      const bytes: Buffer = head ? Buffer.concat([head, chunk]) : chunk;
      const end = bytes.indexOf(HEAD_END);
      if (end === -1) {
        head = bytes;
        return;
      }
      const text = bytes.latin1Slice(0, end);
      if (Number(text.slice(9, 12)) !== status) {
        socket.destroy(new Error(`an answer with status ${text.slice(9, 12)} instead of ${status}`));
        return;
      }
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      missing = Number(length ?? 0) - (bytes.length - end - HEAD_END.length);
      if (missing <= 0) answered();
    });
  });
}
