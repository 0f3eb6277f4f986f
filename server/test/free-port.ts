// A port for a process that a test starts, and that may come back to it for as long as the test's own process lives.
import { claimFreePort } from "../../demo/src/free-port.ts";

export async function freePort(): Promise<number> {
  return (await claimFreePort()).port;
}
