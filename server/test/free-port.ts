// A port for a process that a test starts, and that may come back to it. From below the range of which the system takes ports for outgoing
// connections and for listeners that leave the choice to it: from there another could take it before the process does, or while it is away.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

export async function freePort(): Promise<number> {
  for (;;) {
    const wanted = randomInt(20_000, 30_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false)).listen(wanted, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return wanted;
  }
}
