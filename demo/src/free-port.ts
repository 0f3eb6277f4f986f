/**
 * A port for a process that is to be started, and that may come back to it.
 *
 * From below the range of which the system takes ports for outgoing connections and for listeners that leave the choice to it: from there
 * another could take it before the process does, or while it is away. And claimed: between the look whether a port is free and the process's
 * own listening, or while it is away, nobody who asks here is given the same one, in whatever process. What claims it is a UDP socket on the
 * port of the same number, which nothing else needs and which ends with this process, however that ends.
 */

import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { createServer } from "node:net";

const HOST = "127.0.0.1";
const LOWEST = 20_000;

export interface ClaimedPort {
  readonly port: number;
  /** Others may be given it from now on. Left out, it is kept until this process ends. */
  release(): void;
}

/** @throws Error when none is found */
export async function claimFreePort(): Promise<ClaimedPort> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const port = randomInt(LOWEST, LOWEST + 10_000);
    const claim = await claimOf(port);
    if (claim === null) continue;
    if (await isFree(port)) return { port, release: () => claim.close() };
    claim.close();
  }
  throw new Error(`No free port was found on ${HOST} from ${LOWEST} on, of a thousand tried.`);
}

/** Whether nobody listens on it now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

function claimOf(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.once("error", () => {
      socket.close();
      resolve(null);
    });
    socket.bind({ port, address: HOST, exclusive: true }, () => {
      socket.unref();
      resolve(socket);
    });
  });
}
