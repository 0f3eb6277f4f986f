// `vaultops ingest-token create | list | revoke`: tokens of engines, for the operator.
import type { Database } from "../platform/db/db.ts";
import { createToken, listTokens, revokeToken } from "../reports/tokens.ts";
import { parseVaultId, vaultIdOf } from "../vault.ts";

type Print = (line: string) => void;

export interface CreateTokenOptions {
  db: Pick<Database, "kysely">;
  source: string;
  /** Default: the source. */
  name?: string | undefined;
  /** Separated by commas; none: all. */
  chains?: string | undefined;
  vaults?: string | undefined;
  /** Standard output: the token alone, so that it can be piped into a secret store. */
  print: Print;
  /** Standard error: everything else. */
  tell: Print;
}

/** Makes a token and prints it, once. Throws an Error that says which option is wrong. */
export async function ingestTokenCreateCommand(options: CreateTokenOptions): Promise<number> {
  const { db, source, print, tell } = options;
  if (source === "" || source.length > 255) throw new Error("--source has 1 to 255 characters.");
  const chains = listOf(options.chains).map(chainOf);
  const vaults = listOf(options.vaults).map(vaultOf);
  const { id, token } = await createToken(db, { name: options.name ?? source, source, chains, vaults });
  tell(`Token ${id} may report as ${source} on ${scopeOf(chains, vaults)}. It is shown this once:`);
  print(token);
  return 0;
}

/** Prints a table of the database's tokens; those of the configuration stand there. */
export async function ingestTokenListCommand(options: {
  db: Pick<Database, "kysely">;
  print: Print;
}): Promise<number> {
  const tokens = await listTokens(options.db);
  const rows = tokens.map(({ id, name, source, chains, vaults, created_at, last_used_at, revoked_at }) => [
    id,
    revoked_at === null ? "valid" : `revoked ${toSecond(revoked_at)}`,
    source,
    name,
    scopeOf(chains, vaults),
    toSecond(created_at),
    last_used_at === null ? "never" : toSecond(last_used_at),
  ]);
  const table = [["ID", "STATE", "SOURCE", "NAME", "SCOPE", "CREATED", "LAST USED"], ...rows];
  const widths = (table[0] as string[]).map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  for (const row of table)
    options.print(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  return 0;
}

/** Revokes a token: it is refused from the next request on. Exit code 1 when there is none with that id. */
export async function ingestTokenRevokeCommand(options: {
  db: Pick<Database, "kysely">;
  id: string;
  tell: Print;
}): Promise<number> {
  const isFound = await revokeToken(options.db, options.id);
  options.tell(isFound ? `Token ${options.id} is revoked.` : `There is no token ${options.id}.`);
  return isFound ? 0 : 1;
}

function listOf(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function chainOf(word: string): number {
  if (!/^[1-9]\d{0,14}$/.test(word)) throw new Error(`--chains contains ${word}, which is not a chain id.`);
  return Number(word);
}

function vaultOf(word: string): string {
  const place = parseVaultId(word);
  if (place === null)
    throw new Error(`--vaults contains ${word}, which is not a vault id ({chain_id}:{address}).`);
  return vaultIdOf(place);
}

function scopeOf(chains: readonly number[], vaults: readonly string[]): string {
  const parts = [
    ...(chains.length > 0 ? [`chains ${chains.join(",")}`] : []),
    ...(vaults.length > 0 ? [`vaults ${vaults.join(",")}`] : []),
  ];
  return parts.length === 0 ? "every vault" : parts.join("; ");
}

function toSecond(time: string): string {
  return `${time.slice(0, 19)}Z`;
}
