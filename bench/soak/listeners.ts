// Who listens to the audit stream, in a process of their own: each holds one connection and looks that no entry is left out or comes twice.
// Argument: the plan as JSON. Says "ready" when all are connected, and to "report" what came since the last one.
import { connect } from "node:net";

export interface ListenPlan {
  port: number;
  /** One for each listener. */
  tokens: string[];
}

export interface ListenReport {
  /** From an entry's `recorded_at` to its arrival, in milliseconds, of one listener in twenty. */
  tookMs: number[];
  entries: number;
  /** Entries that came out of their order. */
  disordered: number;
  /** Connections that ended. */
  ended: number;
}

const SAMPLED = 20;
const fresh = (): ListenReport => ({ tookMs: [], entries: 0, disordered: 0, ended: 0 });
let report = fresh();

if (process.send) {
  const { port, tokens } = JSON.parse(process.argv[2]!) as ListenPlan;
  let open = 0;
  for (const [index, token] of tokens.entries())
    listen(port, token, index % SAMPLED === 0, () => {
      open += 1;
      if (open === tokens.length) process.send!("ready");
    });
  process.on("message", () => {
    process.send!(report);
    report = fresh();
  });
  process.once("disconnect", () => process.exit(0));
}

function listen(port: number, token: string, isSampled: boolean, opened: () => void): void {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write(
    `GET /api/v1/audit/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  let isOpen = false;
  let rest = "";
  let last = 0;
  socket.on("data", (chunk) => {
    const arrivedMs = Date.now();
    const text = rest + String(chunk);
    if (!isOpen && text.includes("retry:")) {
      isOpen = true;
      opened();
    }
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    for (const [, id] of text.slice(0, end).matchAll(/^id: (.+)$/gm)) {
      // "after:" and the entry's seq, which only this service may read.
      const seq = Number(Buffer.from(id!, "base64url").toString().slice("after:".length));
      report.entries += 1;
      if (!(seq > last)) report.disordered += 1;
      last = seq;
    }
    if (!isSampled) return;
    for (const [, at] of text.slice(0, end).matchAll(/"recorded_at":"([^"]+)"/g))
      report.tookMs.push(arrivedMs - Date.parse(at!));
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    report.ended += 1;
  });
}
