// A receiver in a process of its own: answers 204 at once, on /hang never. Says its URL, and tells on stdin's request ("report") when each
// event's first byte came, in milliseconds since the epoch.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

const arrivals: Record<string, number> = {};
const server = createServer((request, response) => {
  const atMs = performance.timeOrigin + performance.now();
  const id = String(request.headers["webhook-id"]);
  request.resume().on("end", () => {
    if (request.url === "/hang") return;
    arrivals[id] ??= atMs;
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
createInterface({ input: process.stdin })
  .on("line", () => {
    console.log(JSON.stringify(arrivals));
    for (const id of Object.keys(arrivals)) delete arrivals[id];
  })
  .on("close", () => process.exit(0));
