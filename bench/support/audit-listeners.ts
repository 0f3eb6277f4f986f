// Listeners of the audit stream in a process of their own. Arguments: port, token, how many. Says `ready` when all are connected, then
// for each entry, when it has come to all of them, the times of its arrivals (milliseconds since 1970).
import { connect } from "node:net";

/** When an entry came to each, in milliseconds since 1970. */
export type Arrivals = number[];

const [port, token, count] = process.argv.slice(2) as [string, string, string];

if (process.send) {
  let open = 0;
  let arrivals: Arrivals = [];
  for (let i = 0; i < Number(count); i += 1) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `GET /api/v1/audit/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`,
    );
    let isOpen = false;
    socket.on("data", (chunk) => {
      // Headers and `retry:` come first, then one event an entry, each with one line `id:`; entries come one at a time.
      if (!isOpen && chunk.includes("retry:")) {
        isOpen = true;
        open += 1;
        if (open === Number(count)) process.send!("ready");
      }
      if (!chunk.includes("id: ")) return;
      arrivals.push(Date.now());
      if (arrivals.length < Number(count)) return;
      process.send!(arrivals);
      arrivals = [];
    });
    socket.on("error", () => process.exit(1));
    socket.on("close", () => process.exit(1));
  }
  process.once("disconnect", () => process.exit(0));
}
