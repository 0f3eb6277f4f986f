// How the embedded server is set: for a small machine that it shares with the service. Both files are written anew at
// every start; what an operator sets by ALTER SYSTEM stands above them.

export interface ServerSettings {
  /** postgresql.conf */
  configuration: string;
  /** pg_hba.conf */
  access: string;
}

export function serverSettings(isDurable: boolean): ServerSettings {
  const settings = { ...COMMON, ...(isDurable ? DURABLE : FOR_TESTS) };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  return { configuration: [HEADER, ...lines, ""].join("\n"), access: [HEADER, ...ACCESS, ""].join("\n") };
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
  log_line_prefix: "vaultops-db: ",
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
