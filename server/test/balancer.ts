// What stands in front of several processes, or of one that comes back at another port: an address that leads each connection to one of
// them in turn, past those that are away.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Balancer {
  url: string;
  /** Where the processes listen. */
  ports: number[];
  close(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer(async (client) => {
    client.on("error", () => {});
    const upstream = await anyOf(balancer.ports, turn);
    turn += 1;
    if (upstream === null || client.destroyed) {
      client.destroy();
      upstream?.destroy();
      return;
    }
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const balancer: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ports: [],
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return balancer;
}

async function anyOf(ports: readonly number[], turn: number): Promise<Socket | null> {
  for (let i = 0; i < ports.length; i += 1) {
    const socket = connect(ports[(turn + i) % ports.length]!, "127.0.0.1");
    const isThere = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    if (isThere) return socket;
  }
  return null;
}
