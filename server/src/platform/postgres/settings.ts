// How the embedded server is set: for a small machine that it shares with the service. Both files are rewritten at
// every start; what an operator sets by ALTER SYSTEM stands above them.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes postgresql.conf and pg_hba.conf into the data directory, where they differ from what stands there. */
export async function writeSettings(dataFolder: string, isDurable: boolean): Promise<void> {
  const settings = { ...COMMON, ...(isDurable ? DURABLE : FOR_TESTS) };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  await writeChanged(join(dataFolder, "postgresql.conf"), [HEADER, ...lines, ""].join("\n"));
  await writeChanged(join(dataFolder, "pg_hba.conf"), [HEADER, ...ACCESS, ""].join("\n"));
}

// Two services that start at once must not see each other's half-written file. initdb has made both files, so that
// their owner and mode are right already.
async function writeChanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, "utf8")) !== text) await writeFile(path, text);
}

const HEADER = "# Written by VaultOps at every start. Use ALTER SYSTEM for settings of your own.";

const COMMON = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  password_encryption: "scram-sha-256",
  max_connections: "100",
  shared_buffers: "128MB",
  effective_cache_size: "1GB",
  work_mem: "8MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "1GB",
  random_page_cost: "1.1",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  datestyle: "ISO, YMD",
  // The log goes to the service's: no statements, no values of rows.
  log_destination: "stderr",
  logging_collector: "off",
  // %e = SQLSTATE, by which the service tells what an operator must hear of.
  log_line_prefix: "%e ",
  log_min_messages: "warning",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
};

const DURABLE = { fsync: "on", synchronous_commit: "on", full_page_writes: "on" };

const FOR_TESTS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
};

const ACCESS = [
  "host all all 127.0.0.1/32 scram-sha-256",
  "host replication vaultops_superuser 127.0.0.1/32 scram-sha-256",
];
