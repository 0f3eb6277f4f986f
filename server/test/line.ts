// A line to a server that can fall silent without being cut, or change what the server says.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Line {
  /** The same URL by way of the line. */
  url: string;
  /** While held, nothing that the server says arrives; then all of it does. */
  hold(isHeld: boolean): void;
  close(): Promise<void>;
}

/** `alter` makes what arrives of each piece that the server says; default: the same. */
export async function openLine(url: string, alter = (bytes: Buffer) => bytes): Promise<Line> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let held: (() => unknown)[] | null = null;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
      const arrive = () => client.write(alter(bytes));
      if (held === null) arrive();
      else held.push(arrive);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(url);
  own.hostname = "127.0.0.1";
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.toString(),
    hold(isHeld) {
      const waiting = held ?? [];
      held = isHeld ? [] : null;
      for (const arrive of waiting) arrive();
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
