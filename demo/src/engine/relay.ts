/** The wire between the engine and the service: a relay of TCP connections that can be cut for a while, as networks are. */
import { connect, createServer, type Socket } from "node:net";

export interface Relay {
  /** What the engine uses as the service's address. */
  readonly url: string;
  /** Breaks every connection, and refuses new ones until mended. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Opens a relay on a free local port to a service's address. */
export async function openRelay(serviceUrl: string): Promise<Relay> {
  const { hostname, port } = new URL(serviceUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    return socket;
  };
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = track(connect(Number(port || 80), hostname));
    track(near);
    near.on("error", () => far.destroy()).on("close", () => far.destroy());
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the relay has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => {
      isCut = true;
      endAll();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      endAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
