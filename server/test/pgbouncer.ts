// PgBouncer before a test's database, as Debian brings it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { debianProgram } from "./debian.ts";
import { freePort } from "./free-port.ts";

export interface Pgbouncer {
  /** The database by way of the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** With the pooler's own defaults, but for the mode and the lines of `settings`. */
export async function startPgbouncer(
  url: string,
  mode: "session" | "transaction",
  settings: readonly string[] = [`default_pool_size = ${mode === "session" ? 20 : 4}`],
): Promise<Pgbouncer> {
  const program = await debianProgram("pgbouncer");
  const { hostname, port, pathname, username, password } = new URL(url);
  const database = pathname.slice(1);
  const dir = await mkdtemp(join(tmpdir(), "vaultops-pgbouncer-"));
  const ownPort = await freePort();
  const users = join(dir, "users.txt");
  const file = join(dir, "pgbouncer.ini");
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    file,
    `[databases]
${database} = host=${hostname} port=${port} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = ${mode}
${settings.join("\n")}
`,
  );
  // It refuses to run as root; the files are for whom it runs as instead.
  await chmod(dir, 0o755);
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(program, ["-q", ...user, file], { stdio: "ignore" });
  const ended = once(child, "exit");
  // It must not outlive the tests, however they end.
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  await untilListening(ownPort);
  const pooled = new URL(url);
  pooled.hostname = "127.0.0.1";
  pooled.port = String(ownPort);
  return {
    url: pooled.toString(),
    async stop() {
      kill();
      await ended;
      process.off("exit", kill);
      await rm(dir, { recursive: true });
    },
  };
}

async function untilListening(port: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 50) {
    const socket = connect(port, "127.0.0.1");
    const isThere = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
    await sleep(50);
  }
  throw new Error("PgBouncer does not listen");
}
